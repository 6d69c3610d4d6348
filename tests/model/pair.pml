/* Who is primary: a model of DESIGN section 4 for spin.
 *
 * Two members, a witness whose compare-and-swap requests may be delayed, lost and land late, and checkpoints and
 * acknowledgements that may be lost and delayed. Members crash and restart as new runs. There are no clocks: "grace
 * has passed" is an event that may come at any time, and from then on every lease given before is over.
 *
 * Checked, as assertions:
 *   whoever wins `lead` or is joined holds every acknowledged record              (I2, I3, I5)
 *   a read is served only where every acknowledged record is                      (I7)
 *   an epoch is led by one run                                                    (I1)
 *
 * Each -D flag below breaks one rule; spin must then find a violation (see run.sh).
 *   BREAK_SOLO_ACKS     I4: a primary that lost its backup acknowledges alone at once
 *   BREAK_JOIN          I5: the primary stays solo while its `join` is under way
 *   BREAK_JOIN_EARLY    I5: `join` is proposed before the newcomer holds all that is committed
 *   BREAK_IN_DOUBT      I6: a read that still shows the old epoch settles a `join` in doubt
 *   BREAK_GRACE         I7: a new primary serves before grace has passed
 *   BREAK_LEASE         I7: a lease runs from the receipt of its acknowledgement
 *   BREAK_RESTART       I1: a restarted primary goes on in its old epoch
 *   BREAK_REPORT        I8: a death report is honoured whichever run it is about
 *
 * Bounds: RECORDS acknowledged at most, EPOCHS, CRASHES.
 */
#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef EPOCHS
#define EPOCHS 4
#endif
#ifndef CRASHES
#define CRASHES 1
#endif

#define NONE 2              /* no member */
#define OTHER(m) (1 - (m))

mtype = { is_nobody, is_catching_up, is_backup, is_primary };

typedef Config { byte epoch; byte first; byte life; byte second };   /* life: the run of the primary */

typedef Member {
  mtype role;
  byte life;                 /* grows with every start */
  Config config;            /* what it knows, persisted before it acts */
  byte length;              /* records 1..length are its history; the last may not be forced yet */
  byte trail[RECORDS + 1];  /* by LSN, epoch and run that made the record: equal up to an LSN means equal history */
  bit serving;
  bit lease;                /* it may read without asking */
  bit grace;                /* all promises it gave are over */
  byte joining;             /* I5: `join` sent for this member, its outcome unknown */
  byte heard_run;           /* I8: the run of the primary that it last acknowledged; 0: none since its start */
  byte pending;             /* executed, on the own disk, not yet acknowledged: its LSN; 0 none */
  bit forced;               /* it is on the own disk; a crash loses what is not */
  bit acked                 /* the second member has it */
}

Member member[2];
Config witness;
Config request[2];          /* one compare-and-swap under way from each member; epoch 0: none */
byte acknowledged[RECORDS + 1];   /* by LSN, the record that a requester was answered for; 0: none */
byte leader[EPOCHS + 2];    /* 1 + member * 4 + run of who led an epoch */

/* One message of each kind may be on its way; epoch 0: none. */
typedef Message { byte epoch; byte to; byte lsn; byte life; byte made };
Message checkpoint, ack, beat_ack, report;
byte crashes;

#define ME member[m]
#define PEER member[OTHER(m)]
/* Everything that was acknowledged is in this member's history (RECORDS is at most 2). */
#define HELD(m, lsn) (acknowledged[lsn] == 0 || (member[m].length >= lsn && member[m].trail[lsn] == acknowledged[lsn]))
#if RECORDS == 1
#define HOLDS_ALL(m) HELD(m, 1)
#define SAME_UP_TO(n) (n < 1 || member[0].trail[1] == member[1].trail[1])
#else
#define HOLDS_ALL(m) (HELD(m, 1) && HELD(m, 2))
#define SAME_UP_TO(n) ((n < 1 || member[0].trail[1] == member[1].trail[1]) && (n < 2 || member[0].trail[2] == member[1].trail[2]))
#endif
#define NEEDS_SECOND(m) (member[m].config.second != NONE || member[m].joining != NONE)

inline clear(message) { message.epoch = 0; message.to = 0; message.lsn = 0; message.life = 0; message.made = 0 }

inline propose(m, who, its_life, other) {
  request[m].epoch = ME.config.epoch + 1; request[m].first = who; request[m].life = its_life; request[m].second = other
}

inline reset(m) {
  ME.serving = 0; ME.lease = 0; ME.grace = 0; ME.joining = NONE; ME.heard_run = 0; ME.pending = 0; ME.acked = 0;
  ME.forced = 0
}

/* A newer configuration is seen at the witness. */
inline learn(m) {
  ME.config.epoch = witness.epoch; ME.config.first = witness.first; ME.config.life = witness.life;
  ME.config.second = witness.second;
  ME.joining = NONE; ME.lease = 0;
  if
  :: witness.first == m && witness.life == ME.life ->      /* I1: an epoch of a dead run is not mine */
     if
     :: ME.role == is_primary -> skip
     :: else ->
        ME.role = is_primary; ME.pending = 0; ME.acked = 0; ME.forced = 0;
#ifdef BREAK_GRACE
        ME.serving = 1
#else
        ME.serving = ME.grace
#endif
     fi;
     assert(leader[witness.epoch] == 0 || leader[witness.epoch] == 1 + m * 4 + ME.life);
     leader[witness.epoch] = 1 + m * 4 + ME.life
  :: witness.second == m && ME.role == is_catching_up -> ME.role = is_backup; ME.grace = 0; ME.heard_run = 0
  :: else -> ME.role = is_nobody; reset(m)
  fi
}

inline step(m) {
  if
  /* ---- requests ---- */
  :: ME.role == is_primary && ME.serving && ME.pending == 0 && ME.length < RECORDS ->
     ME.length++; ME.trail[ME.length] = ME.config.epoch * 8 + ME.life; ME.pending = ME.length;
     ME.acked = 0; ME.forced = 0
  :: ME.pending != 0 && !ME.forced -> ME.forced = 1
  :: ME.role == is_primary && ME.pending != 0 && !ME.acked && NEEDS_SECOND(m) && checkpoint.epoch == 0 ->
     checkpoint.epoch = ME.config.epoch; checkpoint.to = OTHER(m); checkpoint.lsn = ME.pending;
     checkpoint.made = ME.trail[ME.pending]
  :: ME.role == is_primary && ME.serving && ME.pending != 0 && ME.forced &&
#ifdef BREAK_SOLO_ACKS
     true ->
#else
     (ME.acked || !NEEDS_SECOND(m)) ->
#endif
     acknowledged[ME.pending] = ME.trail[ME.pending];
     ME.pending = 0; ME.acked = 0; ME.forced = 0
  /* ---- reads: solo outside a join, or under a lease ---- */
  :: ME.role == is_primary && ME.serving && (!NEEDS_SECOND(m) || ME.lease) -> assert(HOLDS_ALL(m))
  /* ---- checkpoints ---- */
  :: checkpoint.epoch != 0 && checkpoint.to == m ->
     if
     :: checkpoint.epoch == ME.config.epoch && (ME.role == is_backup || ME.role == is_catching_up) &&
        checkpoint.lsn <= ME.length + 1 && ack.epoch == 0 ->
        if
        :: checkpoint.lsn > ME.length -> ME.length = checkpoint.lsn; ME.trail[checkpoint.lsn] = checkpoint.made
        :: else
        fi;
        ack.epoch = checkpoint.epoch; ack.to = OTHER(m); ack.lsn = checkpoint.lsn
     :: else
     fi;
     clear(checkpoint)
  :: ack.epoch != 0 && ack.to == m ->
     if :: ME.role == is_primary && ack.epoch == ME.config.epoch && ack.lsn == ME.pending -> ME.acked = 1 :: else fi;
     clear(ack)
  /* ---- heartbeats: an acknowledgement is a promise ---- */
  :: ME.role == is_backup && beat_ack.epoch == 0 && PEER.role == is_primary && PEER.config.epoch == ME.config.epoch &&
     request[m].epoch == 0 ->
     beat_ack.epoch = ME.config.epoch; beat_ack.to = OTHER(m); beat_ack.life = PEER.life;
     ME.grace = 0; ME.heard_run = PEER.life
  :: beat_ack.epoch != 0 && beat_ack.to == m ->
     if
     :: ME.role == is_primary && beat_ack.epoch == ME.config.epoch && beat_ack.life == ME.life && ME.joining == NONE ->
        ME.lease = 1
     :: else
     fi;
     clear(beat_ack)
  :: !ME.grace && ME.role != is_catching_up ->                      /* grace passes: leases of the other are over */
     ME.grace = 1; PEER.lease = 0;
#ifndef BREAK_LEASE
     if :: beat_ack.to == OTHER(m) -> clear(beat_ack) :: else fi;
#endif
     if :: ME.role == is_primary -> ME.serving = 1 :: else fi
  :: report.epoch != 0 && report.to == m ->
     if
#ifdef BREAK_REPORT
     :: ME.role == is_backup -> ME.grace = 1
#else
     :: ME.role == is_backup && report.life == ME.heard_run -> ME.grace = 1
#endif
     :: else
     fi;
     clear(report)
  /* ---- changes of configuration ---- */
  :: ME.role == is_backup && ME.grace && request[m].epoch == 0 && ME.config.epoch < EPOCHS -> propose(m, m, ME.life, NONE)
  :: ME.role == is_nobody && ME.config.first == m && ME.grace && request[m].epoch == 0 && ME.config.epoch < EPOCHS ->
#ifdef BREAK_RESTART
     ME.role = is_primary; ME.serving = 1
#else
     propose(m, m, ME.life, NONE)
#endif
  :: ME.role == is_primary && NEEDS_SECOND(m) && request[m].epoch == 0 && ME.config.epoch < EPOCHS ->
     propose(m, m, ME.life, NONE)                               /* goes solo; also ends a join in doubt */
  :: ME.role == is_nobody && ME.config.first != m && PEER.role == is_primary && PEER.config.second == NONE &&
     PEER.config.epoch >= ME.config.epoch ->                   /* catch up: cut what differs, copy the rest */
     ME.role = is_catching_up;
     ME.config.epoch = PEER.config.epoch; ME.config.first = PEER.config.first; ME.config.life = PEER.config.life;
     ME.config.second = NONE;
     do
     :: ME.length > PEER.length || !SAME_UP_TO(ME.length) -> ME.trail[ME.length] = 0; ME.length--
     :: else -> break
     od
  :: ME.role == is_catching_up && PEER.role == is_primary && PEER.config.epoch == ME.config.epoch && ME.length < PEER.length &&
     PEER.pending != ME.length + 1 ->                          /* a record of the tail that is committed there */
     ME.length++; ME.trail[ME.length] = PEER.trail[ME.length]
  :: ME.role == is_primary && ME.serving && ME.config.second == NONE && ME.joining == NONE && PEER.role == is_catching_up &&
     PEER.config.epoch == ME.config.epoch && request[m].epoch == 0 && ME.config.epoch < EPOCHS &&
#ifdef BREAK_JOIN_EARLY
     true ->
#else
     HOLDS_ALL(OTHER(m)) ->
#endif
#ifndef BREAK_JOIN
     ME.joining = OTHER(m); ME.lease = 0;
#endif
     propose(m, m, ME.life, OTHER(m))
  :: witness.epoch > ME.config.epoch && ME.role != is_catching_up -> learn(m)
  :: witness.epoch > ME.config.epoch && ME.role == is_catching_up && witness.second == m -> learn(m)
  :: witness.epoch > ME.config.epoch && ME.role == is_catching_up && witness.second != m -> learn(m)
#ifdef BREAK_IN_DOUBT
  :: ME.joining != NONE && witness.epoch == ME.config.epoch -> ME.joining = NONE
#endif
  /* ---- a crash, and the restart as a new run; the supervisor may report it ---- */
  :: crashes < CRASHES ->
     crashes++;
     if :: report.epoch == 0 -> report.epoch = 1; report.to = OTHER(m); report.life = ME.life :: skip fi;
     if :: ME.pending != 0 && !ME.forced -> ME.trail[ME.length] = 0; ME.length-- :: else fi;
     ME.role = is_nobody; ME.life++; reset(m)
  fi
}

/* A compare-and-swap lands, or is lost: its sender does not hear of either but by what the witness holds. */
inline land(m) {
  if
  :: request[m].epoch == witness.epoch + 1 ->
     witness.epoch = request[m].epoch; witness.first = request[m].first; witness.life = request[m].life;
     witness.second = request[m].second;
     assert(HOLDS_ALL(witness.first));
     if :: witness.second != NONE -> assert(HOLDS_ALL(witness.second)) :: else fi;
     request[m].epoch = 0
  :: request[m].epoch == witness.epoch + 1 && member[m].joining == NONE -> request[m].epoch = 0
  :: request[m].epoch <= witness.epoch -> request[m].epoch = 0
  fi
}

init {
  d_step {
    witness.epoch = 1; witness.first = 0; witness.life = 1; witness.second = 1;
    member[0].role = is_primary; member[0].serving = 1; member[1].role = is_backup;
    member[0].life = 1; member[1].life = 1; member[0].joining = NONE; member[1].joining = NONE;
    member[0].config.epoch = 1; member[0].config.life = 1; member[0].config.second = 1;
    member[1].config.epoch = 1; member[1].config.life = 1; member[1].config.second = 1;
    leader[1] = 2
  }
  do
  :: atomic { step(0) }
  :: atomic { step(1) }
  :: atomic { request[0].epoch != 0 -> land(0) }
  :: atomic { request[1].epoch != 0 -> land(1) }
  :: atomic { checkpoint.epoch != 0 -> clear(checkpoint) }
  :: atomic { ack.epoch != 0 -> clear(ack) }
  :: atomic { beat_ack.epoch != 0 -> clear(beat_ack) }
  od
}
