/* SPDX-License-Identifier: MIT
 *
 * A worker: it begins or replays, asks whether it may send, waits for the answer, gives up, looks, bars a
 * key, and dies at any of these places; who dies is started again and knows nothing.
 */
/* Who says `applied` with a token we know, or do not, is heard. */
#define keeps(what) PROMISE(IB7_late_word_kept, what != APPLIED || outcome == APPLIED)

/* What may have taken effect and is not known not to have. */
inline count_sends_that_count()
{
    doubts = 0;
    for (i : 0 .. ATTEMPTS - 1) {
        doubts = (sent[i] && verdict[i] != NOT_APPLIED -> doubts + 1 : doubts)
    }
}

inline send(slot)
{
    printf("step send w%d a%d\n", me, slot + 1);
    sent[slot] = !HAS_KEY && !HAS_LOOKUP;
    count_sends_that_count();
    PROMISE(IE2_blind_sends_once, doubts <= 1 || spoken);
    copies[slot] = 1;
    awaited[slot] = true
}

inline gives_up(slot)
{
    awaited[slot] = false;
    leased = (slot == count - 1 -> false : leased)
}

inline start(slot, event, generation)
{
    PROMISE(IB7_disputed_begins_nothing, !disputed);
    begin(event, generation);
    slot = count - 1;
    busy++
}

/* What was asked is one moment; what it is worth is decided when it is written. */
inline ask(shown)
{
    seen = shown;
    mine = count;
    count_aged(aged);
    due = (looks > 0 && age[count - 1] >= OLD);
    busy++
}

#define can_crash (crashes > 0)
inline crash()
{
    printf("step crash w%d\n", me);
    crashes--;
    busy--;
    HAPPENED(CRASH)
}

proctype Worker(byte me)
{
    byte mine;
    byte aged;
    byte seen;
    bool due;
idle:
    mine = 0;
    due = false;
    aged = 0;
    seen = 0;
    if
    :: d_step {
        may_attempt ->
            about = (count == 0 -> 0 : next_generation);
            if
            :: count > 0 && about > gen[count - 1] -> HAPPENED(NEW_KEY)
            :: else -> skip
            fi;
            start(mine, EVENT_ATTEMPT, about);
            printf("step begin w%d a%d\n", me, mine + 1);
            forget()
       }; goto ready
    :: d_step {
        may_replay ->
            about = REPLAY_GENERATION;
            start(mine, EVENT_REPLAY, about);
            printf("step replay w%d a%d\n", me, mine + 1);
            forget()
       }; goto ready
    :: d_step {
        may_look && effects - fresh == 0 ->
            if
            :: fresh > 0 -> HAPPENED(LAGGING)
            :: else -> skip
            fi;
            printf("step ask w%d absent\n", me);
            ask(0);
            forget()
       }; goto asked
    :: d_step {
        may_look && effects > 0 && effects - fresh <= 1 ->
            printf("step ask w%d present\n", me);
            ask(1);
            forget()
       }; goto asked
    :: d_step {
        may_look && effects > 1 ->
            printf("step ask w%d twice\n", me);
            ask(2);
            forget()
       }; goto asked
    :: d_step {
        may_bar ->
            barred[gen[count - 1]] = (effects == 0);
            seen = effects;
            mine = count;
            busy++;
            if
            :: seen == 0 -> printf("step bar w%d closed\n", me)
            :: else -> printf("step bar w%d present\n", me)
            fi;
            forget()
       }; goto barred_by
    fi;
ready:
    if
    :: d_step { MAY_SEND(mine) -> send(mine); forget() }; goto waiting
    :: d_step {
        !MAY_SEND(mine) ->
            printf("step too-late w%d a%d\n", me, mine + 1);
            HAPPENED(TOO_LATE);
            unsent[mine] = true;
            busy--;
            finish(mine, NOT_APPLIED, false);
            forget()
       }; goto idle
    :: d_step { can_crash -> gives_up(mine); crash(); forget() }; goto idle
    fi;
waiting:
    if
    :: d_step {
        reply[mine] != OUTCOME_NONE ->
            printf("step word w%d a%d ", me, mine + 1);
            say(reply[mine]);
            awaited[mine] = false;
            busy--;
            word = reply[mine];
            reply[mine] = OUTCOME_NONE;
            finish(OWN_SLOT(mine), word, first[mine]);
            keeps(word);
            forget()
       }; goto idle
    :: d_step {
        true ->
            printf("step word w%d a%d unknown\n", me, mine + 1);
            gives_up(mine);
            busy--;
#ifdef BREAK_ZERO_MEANS_APPLIED
            finish(mine, APPLIED, false);
#endif
            forget()
       }; goto idle
    :: d_step { can_crash -> gives_up(mine); crash(); forget() }; goto idle
    fi;
asked:
    if
    :: d_step {
        true ->
            printf("step write w%d\n", me);
            looks = (due && looks > 0 && mine == count -> looks - 1 : looks);
            if
            :: seen == 0 -> write_absent(aged, mine)
            :: else -> write_present(seen)
            fi;
            busy--;
            forget()
       }; goto idle
    :: d_step { can_crash -> crash(); forget() }; goto idle
    fi;
barred_by:
    if
    :: d_step {
        true ->
            printf("step write w%d\n", me);
            if
            :: seen > 0 -> write_present(seen)
            :: else -> write_closed(mine)
            fi;
            busy--;
            forget()
       }; goto idle
    :: d_step { can_crash -> crash(); forget() }; goto idle
    fi
}
