/**
 * Planted faults for the simulation (`faults.ts`): plausible mistakes in the engine, one line each.
 * Each text occurs exactly once in its file; if the file changes, update the fault.
 */
import type { PlantedFault } from "../planted-fault.ts";

const store = "src/store/sqlite";
const rows = "src/store/rows";
const engine = "src/engine";

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "writes that were done again stay in the queue",
    file: "src/store/group-commit.ts",
    from: "this.#waiting.splice(0, writes.length - reached);",
    to: "",
  },
  {
    name: "what a write did before it failed stays in its group",
    file: "src/store/write-slot.ts",
    from: "      this.#group.isMispredicted = true;\n      return;",
    to: "      return;",
  },
  {
    name: "writes that the group had no time for are forgotten",
    file: "src/store/group-commit.ts",
    from: "this.#waiting.unshift(...writes.slice(outcomes.length));",
    to: "",
  },
  {
    name: "writes are acknowledged before their commit",
    file: "src/store/group-commit.ts",
    from: "const committed = group.lost === undefined ? this.#commit(group) : undefined;",
    to: "const committed = undefined; if (group.lost === undefined) setTimeout(() => void this.#commit(group), 0);",
  },
  {
    name: "a failed part of a write is kept",
    file: `${store}/transaction.ts`,
    from: "      // A finished write or a failed group is already rolled back.\n",
    to: "      if (this.#slot.isGood) throw error;\n",
  },
  {
    name: "a key's answer is never found",
    file: `${engine}/steps/replay.ts`,
    from: "if (!stored) return null;",
    to: "return null;",
  },
  {
    name: "another request with the same key is given the first one's answer",
    file: `${engine}/steps/replay.ts`,
    from: "if (requestHash !== this.#requestOf(request)) throw conflict(this.#idempotency, key);",
    to: "",
  },
  {
    name: "keys are shared by all callers",
    file: `${engine}/steps/replay.ts`,
    from: "if (isRecord(owner)) return `row ",
    to: "if (isRecord(owner)) return `row`;\n    if (isRecord(owner)) return `row ",
  },
  {
    name: "a state that is entered anew doesn't begin its time anew",
    file: `${engine}/records/timers.ts`,
    from: "before === null || stateBefore !== stateAfter ? nowMs",
    to: "before === null ? nowMs",
  },
  {
    name: "a state that is left keeps its time",
    file: `${engine}/records/timers.ts`,
    from: "return fitted ? null : undefined;",
    to: "return undefined;",
  },
  {
    name: "the wake-up is not armed again",
    file: `${engine}/background/due.ts`,
    from: "      this.#armedMeanwhile.delete(armed);\n    }\n    this.#wakeAt(this.#nextDue);",
    to: "      this.#armedMeanwhile.delete(armed);\n    }",
  },
  {
    name: "a time that is sooner than the known one is not woken for",
    file: `${engine}/background/due.ts`,
    from: "if (this.#nextDue !== null && this.#nextDue <= dueAtMs) return;",
    to: "if (this.#nextDue !== null) return;",
  },
  {
    name: "requests don't wait for what is due",
    file: `${engine}/background/due.ts`,
    from: "      const scope = this.mayBeDue(dueScope.nowMs)",
    to: "      const scope = this.mayBeDue(dueScope.nowMs - 9e9)",
  },
  {
    name: "timers of deleted records stay",
    file: `${engine}/records/change.ts`,
    from: `      await transactionOf(evaluation).system.clearTimers(resource, before["#row"]);`,
    to: "",
  },
  {
    name: "cleared references are not recorded",
    file: `${engine}/records/change.ts`,
    from: `  evaluation.work.journal.note("updated", plan.name, before, after, evaluation.frame.caller);
  deferFails(plan, evaluation, after);
  await updateTimers`,
    to: `  deferFails(plan, evaluation, after);
  await updateTimers`,
  },
  {
    name: "records that a deletion deletes along are not recorded",
    file: `${engine}/records/change.ts`,
    from: "    if (deleted || !after) {\n      evaluation.work.journal.note(",
    to: "    if (deleted || !after) {\n      if (before === record || resource === plan.name) evaluation.work.journal.note(",
  },
  {
    name: "a state becomes what it is already",
    file: `${engine}/events/triggers.ts`,
    from: "now?.[field] === trigger.state && old?.[field] !== trigger.state",
    to: "now?.[field] === trigger.state",
  },
  {
    name: "a place under way is never given back",
    file: `${engine}/steps/concurrency.ts`,
    from: "      const left = (inUse.get(key) ?? 1) - 1;",
    to: "      const left = inUse.get(key) ?? 1;",
  },
  {
    name: "who only reads never gives the place back",
    file: `${engine}/request-lifecycle/run-request.ts`,
    from: "      else if (slot) {",
    to: "      else if (slot && plan.writes) {",
  },
  {
    name: "quotas let one more in",
    file: `${engine}/records/quotas.ts`,
    from: "(await evaluation.work.session.count(query, frame)) < row.count",
    to: "(await evaluation.work.session.count(query, frame)) <= row.count",
  },
  {
    name: "Always is checked for nothing",
    file: `${engine}/records/record-rules.ts`,
    from: "if (holds !== true) throw new BrokenInvariant",
    to: "if (holds === undefined) throw new BrokenInvariant",
  },
  {
    name: "a sequence leaves numbers out",
    file: `${rows}/own-statements.ts`,
    from: "DO UPDATE SET value = kept.value + 1 RETURNING value",
    to: "DO UPDATE SET value = kept.value + 1 + (kept.value % 5 = 0) RETURNING value",
  },
  {
    name: "a receiver's place is never given back",
    file: `${engine}/deliveries/sender.ts`,
    from: "      this.#attempting.add(receiver, -1);",
    to: "",
  },
  {
    name: "what was claimed stays claimed",
    file: `${engine}/deliveries/sender.ts`,
    from: "      this.#inProgress.delete(delivery.number);",
    to: "",
  },
  {
    name: "any answer is a success",
    file: `${engine}/deliveries/schedule.ts`,
    from: "status !== null && status >= 200 && status <= 299",
    to: "status !== null && status >= 200 && status <= 499",
  },
  {
    name: "every pause is the first",
    file: `${engine}/deliveries/schedule.ts`,
    from: "policy.pausesMs[delivery.attempts]",
    to: "policy.pausesMs[0]",
  },
  {
    name: "a queue goes on while its first still fails",
    file: `${rows}/deliveries.ts`,
    from: `  if (state !== "open" && queue !== null) yield change(statements.nextOfQueue, [at, ...receiver, queue]);`,
    // Otherwise the statement would find the failing delivery, which is already being sent.
    to: `  if (queue !== null) yield change({ sql: "UPDATE ninefold_deliveries SET due_at = ? WHERE number = (SELECT min(number) FROM ninefold_deliveries WHERE channel = ? AND resource = ? AND row = ? AND queue = ? AND state = 'open' AND due_at IS NULL)" }, [at, ...receiver, queue]);`,
  },
  {
    name: "a queue stands still behind what was given up",
    file: `${rows}/deliveries.ts`,
    from: `if (state !== "open" && queue !== null)`,
    to: `if (state === "done" && queue !== null)`,
  },
  {
    name: "queues are no queues",
    file: `${rows}/deliveries.ts`,
    from: "      const waits = yield* this.#isQueued(delivery);",
    to: "      const waits = false;",
  },
  {
    name: "a receiver that answered is due no more",
    file: `${rows}/deliveries.ts`,
    from: "  yield change(statements.receiverDue, receiver);\n  return note;",
    to: "  return note;",
  },
  {
    name: "If-Match fits whatever there is",
    file: `${engine}/steps/preconditions.ts`,
    from: "} else if (!matches(preconditions.weak ? asStrong(ifMatch) : ifMatch, tag)) {",
    to: "} else if (tag === undefined) {",
  },
  {
    name: "what is done immediately is done for nothing",
    file: `${engine}/records/immediate-transitions.ts`,
    from: "        if (record) await fire(plan, transition, record);",
    to: `        if (record && record["#revision"] === 1) await fire(plan, transition, record);`,
  },
  {
    name: "lists show what is hidden",
    file: `${engine}/actions/list.ts`,
    from: "    this.#conditions = targetConditions(context, endpoint, this.#plan);",
    to: "    this.#conditions = targetConditions(context, endpoint, this.#plan).slice(1);",
  },
  {
    name: "a cursor begins with the record that it stands behind",
    file: "src/store/sql/seek.ts",
    from: `return sql\`(\${left}) \${isAscending ? ">" : "<"} (\${right})\`;`,
    to: `return sql\`(\${left}) \${isAscending ? ">=" : "<="} (\${right})\`;`,
  },
  {
    name: "streams send an event again",
    file: `${engine}/streams/event-stream.ts`,
    from: "      this.#place = { ...this.#place, sequence: event.sequence, tail: idSuffix(event.id) };\n      if (serialized === null) continue;",
    to: "      if (serialized === null) continue;\n      this.#place = { ...this.#place, sequence: event.sequence - (event.sequence % 3 === 0 ? 1 : 0), tail: idSuffix(event.id) };",
  },
  {
    name: "an attempt under way brings back what was given up",
    file: `${rows}/deliveries.ts`,
    from: `const isGivenUp = before === "dead"`,
    to: `const isGivenUp = false`,
  },
  {
    name: "what a killed process had still to give up is left",
    file: `${engine}/deliveries/sender.ts`,
    from: "if (!this.#hasGivenUpRemaining) await this.#giveUpRemaining();",
    to: "",
  },
];
