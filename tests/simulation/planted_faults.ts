/**
 * Small faults in the production code, each of which the laws must notice: the measure of how much
 * the simulated world sees.
 * @module
 */

/** One change of one file. */
export interface PlantedFault {
  /** What the gateway then does wrong. */
  readonly what: string;
  readonly file: string;
  /** Stands in the file once. */
  readonly find: string;
  readonly replace: string;
}

const JOURNAL: readonly PlantedFault[] = [
  {
    what: "takes a message in twice",
    file: "actors/journal/step.ts",
    find: `if (known !== undefined) return { state: "duplicate", seq: known };`,
    replace: "",
  },
  {
    what: "never ends a turn",
    file: "actors/journal/step.ts",
    find: `if (step.turn?.change === "end") endTurn(store, step.turn);`,
    replace: "",
  },
  {
    what: "finds no unfinished session at the start",
    file: "actors/gateway/core.ts",
    find: `router.tell({ type: "rescan" });`,
    replace: "",
  },
  {
    what: "keeps filed lines for ever",
    file: "actors/journal/store_journal.ts",
    find: "this.#store.deleteLine(line);",
    replace: "void line;",
  },
  {
    what: "leaves a row out of what waits to be sent",
    file: "actors/journal/store_journal.ts",
    find: "return this.#store.unsentOutbounds(window);",
    replace: "return this.#store.unsentOutbounds({ ...window, afterId: window.afterId + 1 });",
  },
  {
    what: "goes on with the messages of a turn in the order in which they came",
    file: "actors/journal/store_journal.ts",
    find: "return { turn, inbounds: inTurnOrder(inbounds) };",
    replace: "return { turn, inbounds };",
  },
  {
    what: "records the messages that a turn read in another order",
    file: "actors/session/record/step_inputs.ts",
    find: "this.#reads.push(begun);",
    replace: "this.#reads.unshift(begun);",
  },
];

const GATE_AND_ROUTER: readonly PlantedFault[] = [
  {
    what: "grants one permit too many",
    file: "actors/gateway/gate.ts",
    find: "held.size >= permitsMax) return;",
    replace: "held.size > permitsMax) return;",
  },
  {
    what: "keeps permits that come back",
    file: "actors/gateway/gate.ts",
    find: "    this.#ledger.drop(requestId);\n    this.#grantNext();",
    replace: "    this.#ledger.drop(requestId);",
  },
  {
    what: "serves the last one first",
    file: "actors/gateway/gate.ts",
    find: "for (const [requestId, request] of waiting) {",
    replace: "for (const [requestId, request] of [...waiting].reverse()) {",
  },
  {
    what: "forgets what crossed a session's last word",
    file: "actors/gateway/router.ts",
    find: "if (entry?.wasTold && !this.#erasing.has(sessionKey)) {",
    replace: "if (entry === undefined) {",
  },
  {
    what: "looks once into a journal that fails",
    file: "actors/gateway/router.ts",
    find: `this.#context.after(RESCAN_MS, { type: "rescan" });`,
    replace: "",
  },
  {
    what: "starts a session twice",
    file: "actors/gateway/router.ts",
    find: "    this.#sessions.set(sessionKey, entry);\n    return entry;",
    replace: "    return entry;",
  },
];

const OUTBOX: readonly PlantedFault[] = [
  {
    what: "sets no timer where an old one has fired",
    file: "actors/gateway/outbox.ts",
    find: "        lane.wake?.cancel();\n        lane.wake = ",
    replace: "        lane.wake ??= ",
  },
  {
    what: "takes a failure for a success",
    file: "actors/gateway/delivery_retry.ts",
    find: `return outcome.value.state === "failed" ? outcome.value : undefined;`,
    replace: "return undefined;",
  },
  {
    what: "sends nothing that waited for its channel",
    file: "actors/gateway/outbox.ts",
    find: "for (const chatId of [...this.#rows.lanes.keys()]) this.#serve(chatId);",
    replace: "",
  },
  {
    what: "gives a channel nothing back that it remembered",
    file: "actors/gateway/outbox_rows.ts",
    find: "return this.#remembered.get(row.key) ?? row.channelState;",
    replace: "return null;",
  },
  {
    what: "settles nothing",
    file: "actors/gateway/courier.ts",
    find: "settles: await this.#settles(row),",
    replace: "settles: [],",
  },
  {
    what: "does not record again what it could not record",
    file: "actors/gateway/outbox.ts",
    find: `this.#context.after(JOURNAL_RETRY_MS, { type: "record", row, change });`,
    replace: "",
  },
  {
    what: "reads the journal once, whether it can or not",
    file: "actors/gateway/outbox_rows.ts",
    find: `this.#context.after(JOURNAL_RETRY_MS, { type: "read_on" });`,
    replace: "",
  },
  {
    what: "sends a chat's rows all at once",
    file: "actors/gateway/outbox.ts",
    find: "if (lane === undefined || lane.isBusy || !this.#connection.isReady) return;",
    replace: "if (lane === undefined || !this.#connection.isReady) return;",
  },
  {
    what: "puts new rows before those that wait",
    file: "actors/gateway/chat_lane.ts",
    find: "this.#pending.splice(index === -1 ? this.#pending.length : index, 0, row);",
    replace: "this.#pending.splice(index === -1 ? 0 : index, 0, row);",
  },
  {
    what: "lets an answer grow after its end",
    file: "actors/gateway/chat_lane.ts",
    find: "    this.#open.delete(key);\n    this.#growth.delete(key);",
    replace: "",
  },
  {
    what: "gives up at the first failure",
    file: "actors/gateway/delivery_retry.ts",
    find: `if (failure.code === "delivery_permanent")`,
    replace: `if (failure.code !== "delivery_unknown")`,
  },
  {
    what: "sends again blindly what is in doubt",
    file: "actors/gateway/outbox.ts",
    find: "if (mustLookUp) return this.#lookUp(row);",
    replace: "",
  },
  {
    what: "leaves everything in doubt",
    file: "actors/gateway/delivery_retry.ts",
    find: `if (row.mayRepeat) return { key, state: "unknown", doubtSinceMs: null };`,
    replace: `if (!row.mayRepeat) return { key, state: "unknown", doubtSinceMs: null };`,
  },
];

const CHANNELS: readonly PlantedFault[] = [
  {
    what: "takes a doubt for a failure",
    file: "channels/channel_host.ts",
    find: "const { code, message, retryAfterMs } = error;",
    replace: `const { message, retryAfterMs } = error, code = "delivery_transient";`,
  },
  {
    what: "acknowledges what the gateway did not take",
    file: "channels/channel_host.ts",
    find: `return "refused";`,
    replace: `return "accepted";`,
  },
  {
    what: "acknowledges what the journal did not take",
    file: "actors/gateway/channel_desk.ts",
    find: '      replyTo.reply("refused");\n    });',
    replace: '      replyTo.reply("accepted");\n    });',
  },
  {
    what: "accepts without telling anybody",
    file: "actors/gateway/channel_desk.ts",
    find: "if (inbound.draft === null) this.#takenIn(inbound);",
    replace: "",
  },
  {
    what: "leaves a dead channel dead",
    file: "actors/gateway/channel_actor.ts",
    find: `this.#context.after(delayMs, { type: "host_due" });`,
    replace: "",
  },
  {
    what: "sends again what a dying channel may have sent",
    file: "actors/gateway/channel_actor.ts",
    find: `code: hadNoEffect ? "delivery_transient" : "delivery_unknown"`,
    replace: `code: hadNoEffect ? "delivery_unknown" : "delivery_transient"`,
  },
];

const SESSION: readonly PlantedFault[] = [
  {
    what: "keeps its permit after a turn",
    file: "actors/session/turn_seat.ts",
    find: '    this.#options.permit.end();\n    this.#state = { state: "idle"',
    replace: '    this.#state = { state: "idle"',
  },
  {
    what: "forgets what waits behind a turn",
    file: "actors/session/session.ts",
    find: "if (mayLeaveWork) this.#work.messagesMayWait();",
    replace: "",
  },
  {
    what: "waits for the turn instead of stopping it",
    file: "actors/session/turn_seat.ts",
    find: "this.#state.work.abort(new TurnStoppedError(text));",
    replace: "void new TurnStoppedError(text);",
  },
  {
    what: "forgets the turn that was interrupted",
    file: "actors/session/session.ts",
    find: "if (interrupted !== undefined) this.#turns.goOnWith(interrupted, log);",
    replace: "",
  },
  {
    what: "lets the model answer commands",
    file: "actors/session/waiting_work.ts",
    find: "if (!isCommand(inbound)) this.#mayHaveMessages = true;",
    replace: "if (inbound.seq > 0) this.#mayHaveMessages = true;",
  },
  {
    what: "never sleeps",
    file: "actors/session/idleness.ts",
    find: `if (isTold) this.#tell("session_idle");`,
    replace: "",
  },
  {
    what: "stops what runs, and not what waits",
    file: "actors/session/interruption.ts",
    find: `...changes(waiting, "stopped"),`,
    replace: "",
  },
  {
    what: "stops without settling those who waited",
    file: "actors/session/interruption.ts",
    find: `commandReply(command, confirmation, settlements(here, "stopped")),`,
    replace: "commandReply(command, confirmation),",
  },
  {
    what: "leaves interrupted calls without results",
    file: "actors/session/steps.ts",
    find:
      "const drafts = this.#openCalls.map((call) => this.#draft(interruptedResult(call)));\n    this.#openCalls = [];",
    replace: "const drafts: LineDraft[] = [];",
  },
  {
    what: "answers without ending the messages",
    file: "actors/session/steps.ts",
    find: "await this.#join(next, { turn, inbounds: ends, outbounds: rows }, drafts, {",
    replace: "await this.#join(next, { turn, inbounds: ends.slice(1), outbounds: rows }, drafts, {",
  },
  {
    what: "gives two answers one key",
    file: "actors/session/steps.ts",
    find: "    this.#answers++;\n    this.#outcome = answer.outcome;",
    replace: "    this.#outcome = answer.outcome;",
  },
  {
    what: "starts counting answers anew after a crash",
    file: "actors/session/recovery.ts",
    find: "if (row === null) return { answers, openRow: undefined };",
    replace: "if (row === null) return { answers: 0, openRow: undefined };",
  },
  {
    what: "confirms a new session and goes on with the old one",
    file: "actors/session/commands.ts",
    find: "  await log.clear();\n",
    replace: "",
  },
  {
    what: "lets other chats join a turn",
    file: "actors/session/incoming.ts",
    find:
      "if (waiting.chatId !== home.chatId || waiting.replyChannel !== home.replyChannel) return false;",
    replace: "",
  },
  {
    what: "lets commands join a turn",
    file: "actors/session/incoming.ts",
    find: "isSameTalk(waiting, inbound) && !isCommand(waiting))",
    replace: "isSameTalk(waiting, inbound))",
  },
  {
    what: "lets all that waits join a turn",
    file: "actors/session/incoming.ts",
    find: "firstDraft === -1 ? countMax : Math.min(firstDraft, countMax)",
    replace: "firstDraft === -1 ? countMax + 1 : Math.min(firstDraft, countMax)",
  },
];

const TURN: readonly PlantedFault[] = [
  {
    what: "does not show the model what was asked",
    file: "actors/session/turn_beginning.ts",
    find: "    replay.push(shown);\n    return { replay,",
    replace: "    return { replay,",
  },
  {
    what: "does not show the model what joined",
    file: "actors/session/turn.ts",
    find: "for (const { shown } of joining) replay.push(shown);",
    replace: "",
  },
  {
    what: "forgets the beginning of an answer that was cut off",
    file: "actors/session/answer_attempt.ts",
    find: "      kept = written;\n",
    replace: "",
  },
  {
    what: "runs all tools side by side",
    file: "actors/session/tool_round.ts",
    find: `const isShared = concurrency(requested.call.function.name) === "shared";`,
    replace: `const isShared = concurrency(requested.call.function.name) !== undefined;`,
  },
  {
    what: "gives two messages of a round one key",
    file: "actors/session/tool_messages.ts",
    find: "`${place.turnId}:${place.line}:${place.index}${suffix}`",
    replace: "`${place.turnId}:${place.line}${suffix}`",
  },
  {
    what: "waits for a model that was told to stop",
    file: "actors/kernel/aborting.ts",
    find: "      giveUp = reject;\n",
    replace: "",
  },
  {
    what: "stores one answer and sends another",
    file: "actors/session/given_answer.ts",
    find: 'const content = isSuppressed ? "" : attempt.text;',
    replace: 'const content = isSuppressed ? "" : shownText;',
  },
];

const HISTORY: readonly PlantedFault[] = [
  {
    what: "files lines again that stand in the file",
    file: "actors/session/session_store.ts",
    find: "const missing = unfiled.filter((line) => !present.has(lineIdOf(line)));",
    replace: "const missing = unfiled;",
  },
  {
    what: "does not file what only the journal holds",
    file: "actors/session/session_store.ts",
    find: "if (unfiled.length > 0) await this.file(conversation, missing);",
    replace: "",
  },
  {
    what: "forgets lines before they are filed",
    file: "actors/session/session_store.ts",
    find:
      "        await this.#appendBacklog(conversation, state);\n        await this.#dropFiled(state);",
    replace:
      "        await this.#journal.dropLines(state.backlog);\n        await this.#appendBacklog(conversation, state);\n        await this.#dropFiled(state);",
  },
  {
    what: "brings lines of the old conversation into the new one",
    file: "actors/session/session_store.ts",
    find: "    await this.#journal.dropLines(unfiled);\n",
    replace: "",
  },
  {
    what: "leaves damage in a file",
    file: "actors/session/session_store.ts",
    find: "if (file.healthyText !== text) await this.#files.replace(name, file.healthyText);",
    replace: "",
  },
  {
    what: "files nothing",
    file: "actors/session/session_log.ts",
    find: "if (synced.length > 0) void this.#store.file(this.conversation, synced);",
    replace: "void synced;",
  },
  {
    what: "tells no outbox of its rows",
    file: "actors/session/session_log.ts",
    find: `this.#services.outbox(row.channel)?.tell({ type: "row_committed", row });`,
    replace: "",
  },
  {
    what: "forgets what it just made durable",
    file: "actors/session/session_log.ts",
    find:
      "this.conversation.append({ message, timestampMs: atMs, lineId: lineIdOf(draft), extras });",
    replace: "void [message, extras, atMs];",
  },
  {
    what: "sums up the message that a turn works on",
    file: "actors/session/consolidation_plan.ts",
    find: "index >= from; index--) {",
    replace: "index > from; index--) {",
  },
];

const KERNEL: readonly PlantedFault[] = [
  {
    what: "lets timers outlive their actor",
    file: "actors/kernel/incarnation.ts",
    find: "    this.#atEnd(cancel);\n    return { cancel };",
    replace: "    return { cancel };",
  },
  {
    what: "lets work go on when its actor has ended",
    file: "actors/kernel/incarnation.ts",
    find: "    this.#atEnd(abort);\n",
    replace: "",
  },
  {
    what: "never starts a failed actor again",
    file: "actors/kernel/cell.ts",
    find: "extras.restartTimer = this.home.clock.setTimer(delayMs, () => this.#resurrect(extras));",
    replace: "void delayMs;",
  },
];

const BEYOND: readonly PlantedFault[] = [
  {
    what: "loses rows of a chat with many",
    file: "actors/gateway/outbox_window.ts",
    find: "return chat !== undefined && chat.hasMore && id > chat.lastId;",
    replace: "return chat === undefined && id < 0;",
  },
  {
    what: "forgets how its channel is when it fails",
    file: "actors/gateway/outbox.ts",
    find: "create: (context) => new Outbox(context, options, connection),",
    replace:
      "create: (context) => new Outbox(context, options, { isReady: false, isStreaming: false }),",
  },
  {
    what: "looks for nothing when a channel's actor failed",
    file: "actors/gateway/channel_actor.ts",
    find: `if (lives++ > 0) options.router.tell({ type: "rescan" });`,
    replace: "",
  },
  {
    what: "forgets its doubt",
    file: "actors/gateway/courier.ts",
    find:
      "await this.#options.journal.commit({ outboundChanges: [change] });\n    }\n    return await this.#deliver(delivery, signal);",
    replace: "void change;\n    }\n    return await this.#deliver(delivery, signal);",
  },
  {
    what: "tells nobody that it may repeat itself",
    file: "actors/gateway/courier.ts",
    find: "...(row.mayRepeat && { notice: MAY_REPEAT_NOTICE }),",
    replace: "",
  },
  {
    what: "lets messages overtake a command that ends all before it",
    file: "actors/session/incoming.ts",
    find: "const firstEnd = page.findIndex(endsAllBefore);",
    replace: "const firstEnd = -1;",
  },
  {
    what: "works on drafts",
    file: "actors/session/incoming.ts",
    find: "if (inbound.draft !== null) heldUp.add(chat);\n    else if",
    replace: "if",
  },
  {
    what: "forgets what waits behind a draft that is taken back",
    file: "actors/session/session.ts",
    find: "if (valueOf(outcome)) this.#work.messagesMayWait();",
    replace: "valueOf(outcome);",
  },
  {
    what: "completes drafts without telling anybody",
    file: "actors/gateway/channel_desk.ts",
    find: "if (inbound !== null) this.#takenIn(inbound);",
    replace: "void inbound;",
  },
];

const KEEPER_AND_LIMITS: readonly PlantedFault[] = [
  {
    what: "wakes one session too many",
    file: "actors/gateway/router.ts",
    find: "return this.#sessions.size < this.#awakeMax;",
    replace: "return this.#sessions.size <= this.#awakeMax;",
  },
  {
    what: "forgets who waits for room",
    file: "actors/gateway/unfinished_look.ts",
    find:
      '    else this.#cursor = earlier(this.#cursor, { part: "inbounds", afterSeq: seq - 1 });\n',
    replace: "",
  },
  {
    what: "forgets what has just ended",
    file: "actors/gateway/journal_keeper.ts",
    find: "finishedBeforeMs: nowMs - retention.finishedDays * DAY_MS,",
    replace: "finishedBeforeMs: nowMs,",
  },
  {
    what: "knows no message again once it has ended",
    file: "actors/gateway/journal_keeper.ts",
    find: "forgottenBeforeMs: nowMs - retention.dedupeDays * DAY_MS,",
    replace: "forgottenBeforeMs: nowMs,",
  },
  {
    what: "forgets once and never again",
    file: "actors/gateway/journal_keeper.ts",
    find: 'this.#context.after(hasMore ? STEP_PAUSE_MS : SWEEP_MS, { type: "sweep_due" });',
    replace: 'if (hasMore) this.#context.after(STEP_PAUSE_MS, { type: "sweep_due" });',
  },
  {
    what: "lets two deliveries of one row overlap",
    file: "channels/keyed_turns.ts",
    find: "      await before;\n",
    replace: "      void before;\n",
  },
];

const JOBS: readonly PlantedFault[] = [
  {
    what: "begins a run before it is written down",
    file: "actors/automation/cron_runs.ts",
    find: "  await kept.save(nowMs);\n  for (const run of toTake) await takeIn(run, kept, scene);",
    replace:
      "  for (const run of toTake) await takeIn(run, kept, scene);\n  await kept.save(nowMs);",
  },
  {
    what: "leaves a run out that was only written down",
    file: "actors/automation/cron_runs.ts",
    find: "    const run = { jobId: job.id, inbound: inputOf(job, facts, scene), isAgain: true };",
    replace: "    const run = null;",
  },
  {
    what: "passes due times over without a word",
    file: "actors/automation/cron_runs.ts",
    find: "const skipped = passedOver === null ? job.state : withRecord(",
    replace: "const skipped = passedOver === null || nowMs > 0 ? job.state : withRecord(",
  },
  {
    what: "lets runs of a job overlap",
    file: "actors/automation/cron_runs.ts",
    find: "  if (!hasEnded(inbound)) return { job, run: null, endedAtMs: null };\n",
    replace: "",
  },
  {
    what: "takes a failed run for a good one",
    file: "actors/automation/cron_runs.ts",
    find: `  failed: "the turn failed",`,
    replace: "  failed: null,",
  },
  {
    what: "leaves a single time due that was missed for good",
    file: "actors/automation/cron_runs.ts",
    find: "nextMs === null ? missedForGood(next, scene) : next",
    replace: "next",
  },
  {
    what: "keeps single times that have run",
    file: "actors/automation/cron_runs.ts",
    find: "  return job.deleteAfterRun ? book.without(job.id) :",
    replace: "  return job.deleteAfterRun && book.jobs.length > 9 ? book.without(job.id) :",
  },
  {
    what: "counts a due time both as run and as passed over",
    file: "actors/automation/due_runs.ts",
    find: "dueMs !== null && dueMs < endMs;",
    replace: "dueMs !== null && dueMs <= endMs;",
  },
  {
    what: "keeps no record of a run that has ended",
    file: "actors/automation/cron_runs.ts",
    find: "state: { ...withRecord(job.state, record), underWay: null }",
    replace: "state: { ...job.state, lastStatus: record.status, underWay: null }",
  },
  {
    what: "has a single time due again once it has come",
    file: "actors/automation/job_book.ts",
    find: "(isKnown && state.underWay?.dueMs === atMs) ? null : atMs;",
    replace: "(isKnown && state.underWay?.dueMs === atMs) ? atMs : atMs;",
  },
  {
    what: "looks after no jobs any more once that has failed",
    file: "actors/automation/cron.ts",
    find: "    this.#lastTrouble = trouble;\n    this.#next();",
    replace: "    this.#lastTrouble = trouble;\n    if (trouble === null) this.#next();",
  },
  {
    what: "sends what a job says nowhere",
    file: "actors/automation/cron_runs.ts",
    find: "      replyChannel: channel,\n      chatId: to,",
    replace: "      replyChannel: null,\n      chatId: to,",
  },
];

const SUBAGENTS: readonly PlantedFault[] = [
  {
    what: "ends subagents on request, and leaves their rows",
    file: "actors/session/incoming.ts",
    find: "if (isUnderWay(inbound) || (inbound.seq < seq && !isCommand(inbound))) before",
    replace: "if (inbound.seq < seq && !isCommand(inbound) && !isUnderWay(inbound)) before",
  },
  {
    what: "takes subagents back although they have started",
    file: "actors/session/subagents/subagent_desk.ts",
    find: `if (scene.signal.aborted && accepted.state === "accepted") {`,
    replace: `if (accepted.state === "accepted") {`,
  },
  {
    what: "says nothing of subagents that died with the process",
    file: "actors/session/subagents/abandoned.ts",
    find: "    await journal.complete({ channel, platformId, content, media: [] });\n",
    replace: "",
  },
  {
    what: "tells no session of its subagent's result",
    file: "actors/session/subagents/subagent_desk.ts",
    find: `if (inbound !== null) context.self.tell({ type: "inbound_accepted", inbound });`,
    replace: "void [inbound, context];",
  },
  {
    what: "lets subagents work without permits",
    file: "actors/session/subagents/subagent_run.ts",
    find: "    await this.#permit.regain(signal);\n",
    replace: "    signal.throwIfAborted();\n",
  },
  {
    what: "goes on without the permit that it gave back for a subagent",
    file: "actors/session/session_reach.ts",
    find: "ensurePermit: (signal) => permit.ensure(signal),",
    replace: "ensurePermit: () => Promise.resolve(),",
  },
  {
    what: "sends answers to what subagents found nowhere",
    file: "actors/session/subagents/subagent_row.ts",
    find: "    ...{ sessionKey, chatId, replyChannel, context, wantsStream },",
    replace: "    ...{ sessionKey, chatId, replyChannel: null, context, wantsStream },",
  },
];

/** All of them. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  ...JOURNAL,
  ...GATE_AND_ROUTER,
  ...OUTBOX,
  ...CHANNELS,
  ...SESSION,
  ...TURN,
  ...HISTORY,
  ...KERNEL,
  ...BEYOND,
  ...KEEPER_AND_LIMITS,
  ...JOBS,
  ...SUBAGENTS,
];
