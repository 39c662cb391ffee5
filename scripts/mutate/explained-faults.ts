/**
 * Explained faults: mutants that no test can detect, or that none should, with the reason. They are
 * counted separately. Each is identified by the text of its line and its replacement, wherever that
 * line moves.
 */

export interface ExplainedFault {
  readonly file: string;
  /** The line of the source on which the fault starts, without indentation. */
  readonly line: string;
  /** The fault as the tool prints it. */
  readonly fault: string;
  readonly reason: string;
}

export const explainedFaults: readonly ExplainedFault[] = [
  {
    file: "src/engine/limits/rates.ts",
    line: "if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: before });",
    fault: "buckets.has(key)  →  true",
    reason:
      "A bucket that is not kept is full, and so is one that is kept with nothing taken: both give the same state.",
  },
  {
    file: "src/engine/limits/rates.ts",
    line: "if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: left });",
    fault: "buckets.has(key)  →  true",
    reason:
      "A bucket that is not kept is full, and so is one that is kept with nothing taken: both give the same state.",
  },
  {
    file: "src/engine/limits/rates.ts",
    line: "if (over > 1e-6) {",
    fault: "over > 1e-6  →  (over >= 1e-6)",
    reason:
      "The bound is for what numbers lose; nothing that is counted is beyond a bucket by exactly that much.",
  },
  {
    file: "src/engine/limits/shared-rates.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: 'const name = `${rate} ${count}/${periodMs}/${burst ?? "window"}`;',
    fault: 'burst ?? "window"  →  burst',
    reason: "Any word will do that is no number of a burst.",
  },
  {
    file: "src/engine/limits/shared-rates.ts",
    line: "return stateOf(bound, await rates.refund(orderOf(key, nowMs, cost), charged.since ?? 0), nowMs, 0);",
    fault: "charged.since ?? 0  →  charged.since",
    reason: "What a shared counter has taken always says since when; the zero is for the type alone.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (steps.length === 0) return undefined;",
    fault: "steps.length === 0  →  false",
    reason: "To do nothing and to have nothing to do is the same.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (valuesWithin(input.type).some((name) => touched.has(name)) || mayLack(input, endpoint, changes)) {",
    fault:
      "valuesWithin(input.type).some((name) => touched.has(name)) || mayLack(input, endpoint, changes)  →  true",
    reason: "Going through a value in which nothing has changed changes nothing.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "hasParts(type) &&",
    fault:
      'hasParts(type) && changes.some((change) => change.kind === "added" && concernsInput(change, endpoint  →  (hasParts(type) || changes.some((change) => change.kind === "added" && concernsInput(change, endpoin',
    reason: "Going through a value in which nothing has changed changes nothing.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (known) return known;",
    fault: "known  →  false",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "plans.set(name, plan);",
    fault: "plans.set(name, plan);  →  {}",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: 'if (change.kind !== "removed input" || !isEndpoint(change.endpoint, endpoint)) return [];',
    fault: 'change.kind !== "removed input" || !isEndpoint(change.endpoint, endpoint)  →  false',
    reason: "What could be made at once is made at its later turn, to the same.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: '!someNode(node, (part) => part.op === "fixed" && authenticatedNames.has(part.name))',
    fault:
      'part.op === "fixed" && authenticatedNames.has(part.name)  →  (part.op === "fixed" || authenticatedNames.has(part.name))',
    reason: "What could be made at once is made at its later turn, to the same.",
  },
  {
    file: "src/engine/versions/undescribed-endpoints.ts",
    line: "if (removed.length === 0) return undefined;",
    fault: "removed.length === 0  →  false",
    reason: "Among no endpoints none is found.",
  },
  {
    file: "src/engine/versions/in-version.ts",
    line: "const joint = model.resources.filter((resource) => identifierFields(resource).length > 1);",
    fault: "identifierFields(resource).length > 1  →  (identifierFields(resource).length >= 1)",
    reason: "What is identified by one field is shown by its value alone, whatever its name.",
  },
  {
    file: "src/engine/versions/in-version.ts",
    line: "let isOtherwise = false;",
    fault: "false  →  true",
    reason: "Names that are the same as those of now are shown as they are without them.",
  },
  {
    file: "src/engine/streams/log-reader.ts",
    line: "if (deletedUpTo > 0) this.#recent = this.#recent.slice(deletedUpTo);",
    fault: "deletedUpTo > 0  →  true",
    reason: "A list of which nothing is cut off is the same.",
  },
  {
    file: "src/engine/streams/log-reader.ts",
    line: "if (deletedUpTo > 0) this.#recent = this.#recent.slice(deletedUpTo);",
    fault: "deletedUpTo > 0  →  (deletedUpTo >= 0)",
    reason: "A list of which nothing is cut off is the same.",
  },
  {
    file: "src/engine/streams/log-reader.ts",
    line: "if (this.#position === null || sequence >= this.#position) return [];",
    fault: "this.#position === null || sequence >= this.#position  →  false",
    reason: "Where nothing is kept behind it nothing is found: it is only found sooner.",
  },
  {
    file: "src/engine/streams/log-reader.ts",
    line: "if (this.#position === null || sequence >= this.#position) return [];",
    fault:
      "this.#position === null || sequence >= this.#position  →  (this.#position === null && sequence >= this.#position)",
    reason: "Where nothing is kept behind it nothing is found: it is only found sooner.",
  },
  {
    file: "src/engine/streams/changes.ts",
    line: "if (byRow.size === 0 && byResource.size === 0) return;",
    fault: "byRow.size === 0 && byResource.size === 0  →  false",
    reason: "Where no one watches, the search finds no one: it is only known sooner.",
  },
  {
    file: "src/engine/streams/event-stream.ts",
    line: "this.#isEnding = true;",
    fault: "true  →  false",
    reason: "Each stream is checked for its end when it has nothing more to send: it is only known sooner.",
  },
  {
    file: "src/engine/streams/event-stream.ts",
    line: "#isWoken = false;",
    fault: "false  →  true",
    reason: "A stream that is woken once more than it has to be finds nothing, and waits.",
  },
  {
    file: "src/engine/streams/stream-position.ts",
    line: 'if (typeof start !== "number" || start >= last) return positionAt(last, log);',
    fault: "start >= last  →  (start > last)",
    reason: "Who begins behind the last one begins there either way.",
  },
  {
    file: "src/engine/streams/stream-limits.ts",
    line: "recentBytesMax: 4 * 1024 * 1024,",
    fault: "4 * 1024  →  (4 / 1024)",
    reason:
      "Five tests of log-reader.test.ts notice it; faults that take effect from the beginning are tried with two files alone.",
  },
  {
    file: "src/engine/streams/plan-stream.ts",
    line: "if (fitting.length === 0 || !rows.has(event.type)) return null;",
    fault: "fitting.length === 0 || !rows.has(event.type)  →  false",
    reason: "What fits no row is sent to no one in the end, too: it is only known sooner.",
  },
  {
    file: "src/engine/streams/event-stream.ts",
    line: "#isBeat = false;",
    fault: "false  →  true",
    reason: "A stream that starts with a beat runs its checks once more, which have just run.",
  },
  {
    file: "src/engine/streams/event-stream.ts",
    line: "if (this.#isLast || text.length >= streamLimits.chunkBytesMax) return text;",
    fault: "text.length >= streamLimits.chunkBytesMax  →  (text.length > streamLimits.chunkBytesMax)",
    reason:
      "A piece may be longer than its bound by an event; whether it ends at the very byte shows nowhere.",
  },
  {
    file: "src/engine/streams/changes.ts",
    line: "byResource.clear();",
    fault: "byResource.clear();  →  {}",
    reason: "No listener is notified of a commit any more by then.",
  },
  {
    file: "src/engine/streams/changes.ts",
    line: "byRow.clear();",
    fault: "byRow.clear();  →  {}",
    reason: "No listener is notified of a commit any more by then.",
  },
  {
    file: "src/engine/deliveries/limits.ts",
    line: "answerBytesMax: 64 * 1024,",
    fault: "64 * 1024  →  (64 / 1024)",
    reason:
      "`test/deliveries/deliveries.test.ts` notices it (its test of the document's Time-out); faults that take effect from the loading on are tried with quicker files alone.",
  },
  {
    file: "src/engine/deliveries/form-body.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: "if (Array.isArray(value)) for (const [at, item] of value.entries()) put(`${name}[${at}]`, item);",
    fault: "Array.isArray(value)  →  false",
    reason: "The entries of a list as an object have the same names.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "if (free <= 0) return 0;",
    fault: "free <= 0  →  false",
    reason: "Where no slot is free none is taken: it only saves a query of the store.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "if (free <= 0) return 0;",
    fault: "free <= 0  →  (free < 0)",
    reason: "Where no slot is free none is taken: it only saves a query of the store.",
  },
  {
    file: "src/engine/deliveries/trim.ts",
    line: "const set = records.length > 0 ? await forgotten?.(records, transaction) : null;",
    fault: "records.length > 0  →  (records.length >= 0)",
    reason: "Of no records nothing is forgotten.",
  },
  {
    file: "src/expressions/text.ts",
    line: "if (a === b) return 0;",
    fault: "a === b  →  false",
    reason: "Two texts that are the same are found to be so letter by letter, too.",
  },
  {
    file: "src/expressions/analysis/exclusion.ts",
    line: "return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));",
    fault: "a < b  →  !(a < b)",
    reason: "Any order of the keys will do, as long as it is always the same.",
  },
  {
    file: "src/expressions/compiling/compile.ts",
    line: 'const at = of.type.kind === "record" ? (words?.identifier.indexOf(name) ?? -1) : -1;',
    fault: "words?.identifier.indexOf(name) ?? -1  →  words?.identifier.indexOf(name)",
    reason: "The words have every resource that a record may be of; the −1 is for the type alone.",
  },
  {
    file: "src/expressions/compiling/compile.ts",
    line: 'if (field && of.type.kind === "record") return readColumn(read, name);',
    fault: 'field && of.type.kind === "record"  →  true',
    reason:
      "Records and values have no prototype, so that both ways of reading find what stands in them alone.",
  },
  {
    file: "src/expressions/analysis/expressions-in.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: 'const named = "rule" in piece && typeof piece.rule === "string" ? `${path}.${piece.rule}` : path;',
    fault:
      '"rule" in piece && typeof piece.rule === "string"  →  ("rule" in piece || typeof piece.rule === "string")',
    reason:
      "Whatever has a rule in a model has it as a word; the check that it is one is for the type alone.",
  },
  {
    file: "src/store/sqlite/store.ts",
    line: "this.session.system.nextDue();",
    fault: "this.session.system.nextDue();  →  {}",
    reason:
      "As long as it isn't known what is due first, the database is queried each time: that is slower, and the same.",
  },
  {
    file: "src/store/sql/record.ts",
    line: 'if (node.op !== "field") return false;',
    fault: 'node.op !== "field"  →  true',
    reason:
      "Where there are no nulls their place in an order is the same wherever it is; without a place in the query the database has less to do.",
  },
  {
    file: "src/store/migrations/plan/for-each.ts",
    line: "if (!(error instanceof Obstacle)) throw error;",
    fault: "!(error instanceof Obstacle)  →  false",
    reason: "Only a fault of ours throws anything else while a step is planned.",
  },
  {
    file: "src/store/rows/system.ts",
    line: "const [earliest] = (yield* rowOf(firstRow(system.firstSequence, []))) ?? [];",
    fault:
      "(yield* rowOf(firstRow(system.firstSequence, []))) ?? []  →  (yield* rowOf(firstRow(system.firstSequence, [])))",
    reason: "The least of all is one row always; that there may be none is said for the type alone.",
  },
  {
    file: "src/store/sql/extract-subqueries.ts",
    line: "return extractedBody(node, environment, taker, keys) ?? extractedValue(node, environment, taker);",
    fault:
      "extractedBody(node, environment, taker, keys) ?? extractedValue(node, environment, taker)  →  extractedBody(node, environment, taker, keys)",
    reason:
      "Every shape of a model that is served has a body; what is done where it has none is for the type alone.",
  },
  {
    file: "src/store/sql/json-values.ts",
    line: "if (dialect.isColumn(value) && !built && isStoredAsShown(type, wire, environment.compiler.meaning))",
    fault:
      "dialect.isColumn(value) && !built && isStoredAsShown(type, wire, environment.compiler.meaning)  →  false",
    reason: "What isn't taken as it is kept is written part by part, to the same text.",
  },
  {
    file: "src/store/sql/json-values.ts",
    line: "if (isUnchanged(type, wire)) return true;",
    fault: "true  →  false",
    reason: "What isn't taken as it is kept is written part by part, to the same text.",
  },
  {
    file: "src/store/sql/fragment.ts",
    line: "const last = parts.length - 1;",
    fault: "parts.length - 1  →  (parts.length + 1)",
    reason: "Texts that aren't put together on the way are the same statement in the end.",
  },
  {
    file: "src/store/sqlite/browsing.ts",
    line: "known.set(text, statement);",
    fault: "known.set(text, statement);  →  {}",
    reason: "A statement that isn't remembered is made anew, and queries the same.",
  },
  {
    file: "src/store/sqlite/statements/dialect.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: "if (isText || isMoment) return sql`json_quote(${value})`;",
    fault: "isText || isMoment  →  false",
    reason: "Both ways of writing give the same text; this one costs the database less.",
  },
  {
    file: "src/store/sql/hybrid-projection.ts",
    line: "return false;",
    fault: "false  →  true",
    reason: "What a function writes of the columns is what SQL would have written; SQL is faster.",
  },
  {
    file: "src/engine/actions/single-statement-read.ts",
    line: 'if (returns.kind !== "expression" || returns.when || endpoint.preconditions?.ifMatch === "required")',
    fault:
      'returns.kind !== "expression" || returns.when || endpoint.preconditions?.ifMatch === "required"  →  true',
    reason: "What is loaded first is answered the same: one statement is only quicker.",
  },
  {
    file: "src/engine/actions/single-statement-read.ts",
    line: "if (expressions.length > 0) return undefined;",
    fault: "expressions.length > 0  →  (expressions.length >= 0)",
    reason: "What is loaded first is answered the same: one statement is only quicker.",
  },
  {
    file: "src/engine/actions/single-statement-read.ts",
    line: "let found = false;",
    fault: "false  →  true",
    reason: "What is loaded first is answered the same: one statement is only quicker.",
  },
  {
    file: "src/engine/actions/single-statement-read.ts",
    line: 'if (inner.op === "named" && inner.name === variableName) found = true;',
    fault:
      'inner.op === "named" && inner.name === variableName  →  (inner.op === "named" || inner.name === variableName)',
    reason: "What is loaded first is answered the same: one statement is only quicker.",
  },
  {
    file: "src/engine/actions/single-statement-read.ts",
    line: "if (!record.by || !field || namesTarget(returns.body.node, plan.resource.variableName)) return undefined;",
    fault: "!record.by || !field  →  (!record.by && !field)",
    reason:
      "What picks is a field of the resource: where there is no field nothing picks, and the other way round.",
  },
  {
    file: "src/engine/actions/list.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: 'name: `${requested.name}|${order.name}|${request.seek ?? ""}`,',
    fault: 'request.seek ?? ""  →  request.seek',
    reason: "A part of a name under which a query is remembered: any word will do that is no direction.",
  },
  {
    file: "src/engine/actions/list.ts",
    line: "frame.cursor = request.cursor ?? [];",
    fault: "request.cursor ?? []  →  request.cursor",
    reason: "Without a cursor no query that is run reads one.",
  },
  {
    file: "src/engine/actions/list-order.ts",
    line: "if (prefixes.length > namesMax) return undefined;",
    fault: "prefixes.length > namesMax  →  false",
    reason: "More names than that are given up at the end too: it is only known sooner.",
  },
  {
    file: "src/engine/actions/single-statement-read.ts",
    line: 'if (!isJsonType(parseMediaType(mediaType)?.type ?? "") && returns.body.node.type.kind === "string")',
    fault: 'parseMediaType(mediaType)?.type ?? ""  →  parseMediaType(mediaType)?.type',
    reason: "The media type of a document can be read, or it is a mistake.",
  },
  {
    file: "src/engine/evaluation/nodes.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: "return Object.fromEntries(fields.map((name) => [`field ${name}`, values[name] ?? null]));",
    fault: "values[name] ?? null  →  values[name]",
    reason: "What wasn't sent and null find the same: no record.",
  },
  {
    file: "src/engine/actions/sign-in.ts",
    line: "JSON.stringify([plan.name, ...plain.map((name) => values[name] ?? null)]),",
    fault: "values[name] ?? null  →  values[name]",
    reason: "In a list JSON has null for both.",
  },
  {
    file: "src/engine/actions/values.ts",
    line: "const record = request.evaluation.frame.named[scope.record] ?? null;",
    fault:
      "request.evaluation.frame.named[scope.record] ?? null  →  request.evaluation.frame.named[scope.record]",
    reason: "Nothing is no record, and neither is null.",
  },
  {
    file: "src/engine/actions/values.ts",
    line: "...(set.when && set.source.when ? { when: { node: set.source.when.node, evaluate: set.when } } : {}),",
    fault: "set.when && set.source.when  →  (set.when || set.source.when)",
    reason: "The one is made out of the other: both are there, or none.",
  },
  {
    file: "src/engine/records/change.ts",
    line: "const updating = plan.updaters.length > 0 ? updatersOf(context, plan, evaluation, record, changes) : [];",
    fault: "plan.updaters.length > 0  →  (plan.updaters.length >= 0)",
    reason: "Of no `on update` fields nothing is worked out.",
  },
  {
    file: "src/engine/records/change.ts",
    line: "if (sameValue(value, record[field] ?? null)) continue;",
    fault: "record[field] ?? null  →  record[field]",
    reason: "A stored record has each of its fields, be it null.",
  },
  {
    file: "src/engine/records/timers.ts",
    line: "if (plan.resource.kept || (plan.machine?.timed.length ?? 0) > 0)",
    fault: "plan.machine?.timed.length ?? 0  →  plan.machine?.timed.length",
    reason: "Nothing isn't more than none.",
  },
  {
    file: "src/engine/records/transition.ts",
    line: "const pathRecord = evaluation.frame.named[variableName] ?? null;",
    fault: "evaluation.frame.named[variableName] ?? null  →  evaluation.frame.named[variableName]",
    reason: "Nothing is no record, and neither is null.",
  },
  {
    file: "src/engine/records/slug.ts",
    line: "if (!query) {",
    fault: "!query  →  true",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/records/stored-form.ts",
    line: "if (!holdsReference(context, type)) return value;",
    fault: "!holdsReference(context, type)  →  false",
    reason: "What holds no reference comes out as it went in: it is only known sooner.",
  },
  {
    file: "src/engine/records/start-records.ts",
    line: "if ((await context.store.session.system.setting(row.setting)) !== row.text) rows.push(row);",
    fault: "(await context.store.session.system.setting(row.setting)) !== row.text  →  true",
    reason: "Whether a row was taken is checked once more where it is taken: it is only known sooner.",
  },
  {
    file: "src/engine/actions/required-inputs.ts",
    line: 'if (inner.op !== "field") return;',
    fault: 'inner.op !== "field"  →  false',
    reason: "What is no field is no way to anywhere.",
  },
  {
    file: "src/engine/actions/then.ts",
    line: 'if (evaluation.frame.this === null && endpoint.does.some((does) => "ifAny" in does && does.ifAny)) return;',
    fault: '"ifAny" in does && does.ifAny  →  ("ifAny" in does || does.ifAny)',
    reason: "What is done to one record is finished by then where there is none, but for `, if any`.",
  },
  {
    file: "src/engine/records/record-rules.ts",
    line: "if ((draft[name] ?? null) === null)",
    fault: "draft[name] ?? null  →  draft[name]",
    reason: "A record has each of its fields from the beginning, be it null.",
  },
  {
    file: "src/engine/records/create-context.ts",
    line: "if (!compiled) {",
    fault: "!compiled  →  false",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/records/record-rules.ts",
    line: 'return partAt(evaluation.frame.body, name.split(".")) ?? null;',
    fault:
      'partAt(evaluation.frame.body, name.split(".")) ?? null  →  partAt(evaluation.frame.body, name.split("."))',
    reason: "What wasn't sent is serialized as null in the end.",
  },
  {
    file: "src/engine/deliveries/attempts.ts",
    line: 'else log.info({ ...fields, again: new Date(dueAt ?? 0).toISOString() }, "a delivery will be tried again");',
    fault: "dueAt ?? 0  →  dueAt",
    reason: "What is tried again has a time for it; the zero is for the type alone.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "if (left <= 0) return;",
    fault: "left <= 0  →  false",
    reason: "Where no slot is left none is taken: it only saves a query of the store.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "if (left <= 0) return;",
    fault: "left <= 0  →  (left < 0)",
    reason: "Where no slot is left none is taken: it only saves a query of the store.",
  },
  {
    file: "src/engine/deliveries/delivery-records.ts",
    line: "took: attempt?.durationMs ?? null,",
    fault: "attempt?.durationMs ?? null  →  attempt?.durationMs",
    reason: "What is missing and what is null are the same to expressions and to the store.",
  },
  {
    file: "src/engine/deliveries/delivery-records.ts",
    line: "if (due !== null) soonest = Math.min(due, soonest ?? due);",
    fault: "soonest ?? due  →  soonest",
    reason: "A wake-up that comes too soon finds nothing, and queries the store for the time of the next.",
  },
  {
    file: "src/engine/deliveries/built-in-receiver.ts",
    line: 'const own = URL.parse(at() ?? "");',
    fault: 'at() ?? ""  →  at()',
    reason: "What is missing is read as a word that is no address either.",
  },
  {
    file: "src/engine/deliveries/webhook-request.ts",
    line: "return model.resources.find((candidate) => candidate.name === resource)?.variableName ?? resource;",
    fault:
      "model.resources.find((candidate) => candidate.name === resource)?.variableName ?? resource  →  model.resources.find((candidate) => candidate.name === resource)?.variableName",
    reason: "A resource to which something is sent is in the document; the other word is for the type alone.",
  },
  {
    file: "src/engine/background/due.ts",
    line: "this.#plans.set(endpoint, plan);",
    fault: "this.#plans.set(endpoint, plan);  →  {}",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/background/due.ts",
    line: "let isAny = false;",
    fault: "false  →  true",
    reason:
      "What a request names is looked up though nothing is due for any of it: nothing is found, only later.",
  },
  {
    file: "src/engine/background/due.ts",
    line: "this.#armedMeanwhile.delete(armed);",
    fault: "this.#armedMeanwhile.delete(armed);  →  {}",
    reason: "A message to a look that is over has no reader; it would only take room.",
  },
  {
    file: "src/engine/background/influence.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: "if (!found || !this.#isNew(`make ${resource}`, at)) return;",
    fault:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the same.
      "!found || !this.#isNew(`make ${resource}`, at)  →  (!found && !this.#isNew(`make ${resource}`, at))",
    reason: "What is said once more of records that are made is the same.",
  },
  {
    file: "src/engine/background/influence.ts",
    line: "candidates.set(at, inner);",
    fault: "candidates.set(at, inner);  →  {}",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/background/endpoint-scope.ts",
    line: "for (const input of endpoint.inputs) if (input.sets !== undefined) seen.sets(resource, input.sets);",
    fault: "input.sets !== undefined  →  true",
    reason: "No field has the name of what sets none.",
  },
  {
    file: "src/engine/background/endpoint-scope.ts",
    line: 'if (changes === "fields" && reach !== "new") seen.changes(resource, at, false);',
    fault: "false  →  true",
    reason: "What an endpoint changes counts as changed whichever record it is (`changedItself`).",
  },
  {
    file: "src/engine/background/endpoint-scope.ts",
    line: 'if (changes === "existence") seen.removes(resource, at, false);',
    fault: "false  →  true",
    reason: "What an endpoint changes counts as changed whichever record it is (`changedItself`).",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (a.transition !== b.transition) return a.transition < b.transition ? -1 : 1;",
    fault: "a.transition < b.transition  →  (a.transition <= b.transition)",
    reason: "It is called with two that are different.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (scope.row === undefined) commitMs += (stopwatch() - workedUntil - commitMs) / 4;",
    fault: "(stopwatch() - workedUntil - commitMs) / 4  →  ((stopwatch() - workedUntil - commitMs) * 4)",
    reason: "It says how long the next slice may be, and nothing of what is taken.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (scope.row === undefined) commitMs += (stopwatch() - workedUntil - commitMs) / 4;",
    fault: "stopwatch() - workedUntil  →  (stopwatch() + workedUntil)",
    reason: "It says how long the next slice may be, and nothing of what is taken.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (scope.row === undefined) commitMs += (stopwatch() - workedUntil - commitMs) / 4;",
    fault: "scope.row === undefined  →  true",
    reason: "It says how long the next slice may be, and nothing of what is taken.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "for (let count = 0; count < slice.most && stopwatch() < endsAt; ) {",
    fault: "stopwatch() < endsAt  →  (stopwatch() <= endsAt)",
    reason: "Whether a slice ends at the very millisecond shows nowhere.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (soonestDue !== null) this.soonestArmed = Math.min(soonestDue, this.soonestArmed ?? soonestDue);",
    fault: "this.soonestArmed ?? soonestDue  →  this.soonestArmed",
    reason: "A wake-up that comes too soon finds nothing, and queries the store for the time of the next.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "const isFurtherDue = soonestDue !== null && soonestDue <= this.#nowMs;",
    fault:
      "soonestDue !== null && soonestDue <= this.#nowMs  →  (soonestDue !== null || soonestDue <= this.#nowMs)",
    reason: "What is due is looked up anew more often than it has to be, and the same is found.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (a.resource !== b.resource) return a.resource < b.resource ? -1 : 1;",
    fault: "a.resource !== b.resource  →  true",
    reason:
      "Those of one resource come in their order, and stay in it where each is placed after the one before it.",
  },
  {
    file: "src/engine/background/due-transition.ts",
    line: "if (resource !== timer.resource || row !== timer.row) isAlone = false;",
    fault: "resource !== timer.resource || row !== timer.row  →  true",
    reason: "What is due is looked up anew more often than it has to be, and the same is found.",
  },
  {
    file: "src/engine/background/due-transition.ts",
    line: "if (resource !== timer.resource || row !== timer.row) isAlone = false;",
    fault: "resource !== timer.resource  →  (resource === timer.resource)",
    reason:
      "The record itself is among those touched, so nothing is alone any more: what is due is looked up more often than it has to be.",
  },
  {
    file: "src/engine/records/effects.ts",
    line: "if (target === null) return;",
    fault: "target === null  →  false",
    reason: "No record is found by no reference, and nothing happens then either.",
  },
  {
    file: "src/engine/records/effects.ts",
    line: "if (context.resource(resource).secretFields.some(({ name }) => name === effect.field))",
    fault: "context.resource(resource).secretFields.some(({ name }) => name === effect.field)  →  true",
    reason: "What is assigned is stored one by one, which only takes longer.",
  },
  {
    file: "src/engine/records/effects.ts",
    line: "if (effect.for) evaluation.frame.locals.length = effect.for.depth;",
    fault: "effect.for  →  false",
    reason: "Nothing names the list's variable behind its effect; the next list puts its own in that place.",
  },
  {
    file: "src/model/resources/timed-resources.ts",
    line: "if (resource.kept) return true;",
    fault: "resource.kept  →  true",
    reason: "Where nothing is timed, a search for what is due finds nothing.",
  },
  {
    file: "src/engine/records/timers.ts",
    line: "if (!before || !machine.timed.some((timed) => timed.end.guard)) return;",
    fault:
      "!before || !machine.timed.some((timed) => timed.end.guard)  →  (!before && !machine.timed.some((timed) => timed.end.guard))",
    reason: "Only what a guard said no to is held, and of a new record nothing is.",
  },
  {
    file: "src/engine/records/transition.ts",
    line: "value: state ?? null,",
    fault: "state ?? null  →  state",
    reason: "A state field always has a state.",
  },
  {
    file: "src/engine/records/resource-plan.ts",
    line: 'const value = record[name] ?? "";',
    fault: 'record[name] ?? ""  →  record[name]',
    reason: "An identifying field is never empty.",
  },
  {
    file: "src/engine/records/change.ts",
    line: "if (isShownOnce(field.rules)) shown.push([field.name, value]);",
    fault: "isShownOnce(field.rules)  →  true",
    reason: "Nothing but fields that are shown once is looked for among what was kept for the answer.",
  },
  {
    file: "src/engine/records/change.ts",
    line: "if (plan.fails.length === 0 && !plan.hasQuotas) return insertNew(plan, evaluation, values);",
    fault: "plan.fails.length === 0 && !plan.hasQuotas  →  false",
    reason: "Where there is nothing to query, the query only takes longer.",
  },
  {
    file: "src/engine/records/stored-form.ts",
    line: "if (visited.has(type.resource)) return false;",
    fault: "false  →  true",
    reason: "A value that holds no reference comes out as it went in.",
  },
  {
    file: "src/store/indexes.ts",
    line: "if (resource) for (const set of equalitySets([body], isLocal)) candidate(resource, set);",
    fault: "resource  →  true",
    reason: "A candidate for no resource is one for no table, and makes no index.",
  },
  {
    file: "src/store/sql/extract-subqueries.ts",
    line: 'const needsLittle = isOfMany && (node.macro === "map" || (node.body && mustBeSql(node.body, environment)));',
    fault:
      "node.body && mustBeSql(node.body, environment)  →  (node.body || mustBeSql(node.body, environment))",
    reason: "Both ways come to the same value; which of them is tried first is a matter of what it costs.",
  },
  {
    file: "src/store/rows/system.ts",
    line: "if (resource !== undefined) return now >= (this.#earliestDue.get(resource) ?? Number.POSITIVE_INFINITY);",
    fault: "resource !== undefined  →  false",
    reason:
      "Where something is due in another resource the database is queried in vain: that is slower, and the same.",
  },
  {
    file: "src/store/postgres/connection/pooler.ts",
    line: 'await connection.end("COMMIT");',
    fault: 'await connection.end("COMMIT");  →  {}',
    reason: "The connection is closed next, which ends a transaction that has changed nothing.",
  },
  {
    file: "src/store/postgres/statements/json.ts",
    line: 'if (indexForm !== "integer") throw new NotInSql("a place in a list that may be no whole number");',
    fault: 'indexForm !== "integer"  →  true',
    reason: "What PostgreSQL can't evaluate is computed after the query, to the same.",
  },
  {
    file: "src/store/postgres/statements/calls.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: 'return form === "date" ? sql`(date_trunc(${unit}, (${at})::timestamp))::date` : undefined;',
    fault: 'form === "date"  →  (form !== "date")',
    reason: "What PostgreSQL can't evaluate is computed after the query, to the same.",
  },
  {
    file: "src/store/migrations/run/apply-steps.ts",
    line: "if (!(error instanceof NotInSql)) throw error;",
    fault: "!(error instanceof NotInSql)  →  ((error instanceof NotInSql))",
    reason:
      "No stored change is known whose condition a database can't evaluate, because functions are evaluated after the query.",
  },
  {
    file: "src/store/sql/extract-subqueries.ts",
    line: 'if (node.depth === undefined || !body) throw new NotInSql("a macro without a body");',
    fault: "node.depth === undefined || !body  →  false",
    reason:
      "One without a body comes here only where the database can't say what it goes through, which is refused a few lines on.",
  },
  {
    file: "src/expressions/compiling/calls.ts",
    line: '(known.kind === "integer" && expected.kind === "number")',
    fault: 'expected.kind === "number"  →  (expected.kind !== "number")',
    reason:
      "Only `fixed` takes a number together with what may be of an open type, and a whole number has the same digits as a decimal.",
  },
  {
    file: "src/store/move/move.ts",
    line: "for (const number of numbers) all += number;",
    fault: "all += number;  →  {}",
    reason:
      "`test/store/move.test.ts` notices it; it waits for processes longer than the tool lets it stand still.",
  },
  {
    file: "src/store/move/move.ts",
    line: "started.from === wanted.from &&",
    fault:
      "started.from === wanted.from && started.document === wanted.document && started.tables === wanted.ta  →  false",
    reason:
      "`test/store/move.test.ts` notices it; it waits for processes longer than the tool lets it stand still.",
  },
  {
    file: "src/engine/actions/single-statement-read.ts",
    line: 'does?.kind !== "read" ||',
    fault:
      'does?.kind !== "read" || does.ifAny || otherDoes || !record?.target || otherRecord || !returns || ot  →  true',
    reason: "What is loaded first is answered the same: one statement is only quicker.",
  },
  {
    file: "src/engine/actions/single-statement-read.ts",
    line: 'if (!isJsonType(parseMediaType(mediaType)?.type ?? "") && returns.body.node.type.kind === "string")',
    fault:
      '!isJsonType(parseMediaType(mediaType)?.type ?? "") && returns.body.node.type.kind === "string"  →  (!isJsonType(parseMediaType(mediaType)?.type ?? "") || returns.body.node.type.kind === "string")',
    reason: "What is loaded first is answered the same: one statement is only quicker.",
  },
  {
    file: "src/engine/actions/list.ts",
    line: 'this.#pagination = endpoint.pagination ?? { kind: "none", links: false, position };',
    fault: "false  →  true",
    reason: "A list without pages has no page that a link could lead to.",
  },
  {
    file: "src/expressions/functions/hashing.ts",
    line: "deterministic: true,",
    fault: "true  →  false",
    reason:
      "`functions/functions.test.ts` notices it; faults that take effect from loading on are tried with few files, and not with that one.",
  },
  {
    file: "src/expressions/functions/random.ts",
    line: "isNewEachTime: true,",
    fault: "true  →  false",
    reason:
      "`functions/functions.test.ts` notices it where it stands in the source; the tool plants it too late there.",
  },
  {
    file: "src/engine/actions/list.ts",
    line: "const orders = this.#orders.length > 0 ? this.#orders : [{ keys: [] }];",
    fault: "this.#orders.length > 0  →  (this.#orders.length >= 0)",
    reason: "`test/postgres/instances.test.ts` notices it, which begins processes.",
  },
  {
    file: "src/engine/actions/list.ts",
    line: "this.#context.store.prepareRecords({ resource: this.#plan.name, where, order: possibleKeys(order) });",
    fault:
      "this.#context.store.prepareRecords({ resource: this.#plan.name, where, order: possibleKeys(order) })  →  {}",
    reason: "`test/postgres/instances.test.ts` notices it, which begins processes.",
  },
  {
    file: "src/store/postgres/shared/lease.ts",
    line: "this.#isRenewing = true;",
    fault: "this.#isRenewing = true;  →  {}",
    reason:
      "`test/postgres/lease.test.ts` notices it; it waits for an instance's next words, longer than the tool gives a fault.",
  },
  {
    file: "src/store/postgres/shared/lease.ts",
    line: "await this.#side.execute(forgetOld, []);",
    fault: "await this.#side.execute(forgetOld, []);  →  {}",
    reason:
      "`test/postgres/lease.test.ts` never ends with it: it waits for an instance to be forgotten, which the tool can't distinguish from other waiting.",
  },
  {
    file: "src/checks/expressions/record-as-json.ts",
    line: 'if (!("field" in piece && "value" in piece) || typeof piece.field !== "string") return false;',
    fault: '"field" in piece && "value" in piece  →  ("field" in piece || "value" in piece)',
    reason: "Whichever of the two is missing, its type is no text and no object, which is refused next.",
  },
  {
    file: "src/store/migrations/run/snapshot-queries.ts",
    line: "table?.uniques.some(({ columns }) => columns[0] === field);",
    fault: "columns[0] === field  →  (columns[0] !== field)",
    reason: "The query is answered without an index as well, in more time.",
  },
  {
    file: "src/store/migrations/run/snapshot-queries.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: "if (!isThere && isColumn) wanted.set(`#wanted ${resource}.${field}`, [resource, field]);",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a fault of that line.
    fault: "wanted.set(`#wanted ${resource}.${field}`, [resource, field]);  →  {}",
    reason: "The query is answered without an index as well, in more time.",
  },
  {
    file: "src/store/migrations/run/snapshot-queries.ts",
    line: 'equalitySets([effect.where], (of) => of.op === "fixed" && of.name === "this").flat(),',
    fault: 'of.op === "fixed"  →  (of.op !== "fixed")',
    reason: "The query is answered without an index as well, in more time.",
  },
  {
    file: "src/store/sqlite/backups/packed-backup.ts",
    line: "flush: true,",
    fault: "true  →  false",
    reason: "Whether bytes are on the disk shows after a power cut alone.",
  },
  {
    file: "src/store/sqlite/backups/backup-folder.ts",
    line: "for (const file of filesOf(folder, name, started)) rmSync(join(folder, file), { force: true });",
    fault: "true  →  false",
    reason:
      "The folder was listed just before: a file is missing only if another process deletes it meanwhile.",
  },
  {
    file: "src/checks/states/identifier-as-state.ts",
    line: "if (field !== undefined && fieldAt && identifierFields(resource).includes(field))",
    fault: "field !== undefined && fieldAt  →  (field !== undefined || fieldAt)",
    reason: "A field that the document names has a position there: either both are known or none.",
  },
  {
    file: "src/store/sqlite/backups/backup.ts",
    line: "refuseTaken(to);",
    fault: "refuseTaken(to);  →  {}",
    reason:
      "It is called again once the lock is held. Either call alone refuses a file that is there at both times.",
  },
  {
    file: "src/store/sqlite/backups/backup.ts",
    line: "syncFolder(dirname(to));",
    fault: "syncFolder(dirname(to));  →  {}",
    reason: "Whether bytes are on the disk shows after a power cut alone.",
  },
  {
    file: "src/store/sqlite/backups/backup.ts",
    line: "fsyncSync(descriptor);",
    fault: "fsyncSync(descriptor);  →  {}",
    reason: "Whether bytes are on the disk shows after a power cut alone.",
  },
  {
    file: "src/store/sqlite/backups/checksum.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: "writeFileSync(`${name}${ending}.part`, line, { mode: 0o600, flush: true });",
    fault: "true  →  false",
    reason: "Whether bytes are on the disk shows after a power cut alone.",
  },
  {
    file: "src/store/sqlite/backups/packed-backup.ts",
    line: "sync(part);",
    fault: "sync(part);  →  {}",
    reason: "Whether bytes are on the disk shows after a power cut alone.",
  },
  {
    file: "src/store/sqlite/backups/packed-backup.ts",
    line: "fsyncSync(descriptor);",
    fault: "fsyncSync(descriptor);  →  {}",
    reason: "Whether bytes are on the disk shows after a power cut alone.",
  },
  {
    file: "src/store/sqlite/backups/restore.ts",
    line: "syncFolder(dirname(place));",
    fault: "syncFolder(dirname(place));  →  {}",
    reason: "Whether bytes are on the disk shows after a power cut alone.",
  },
  {
    file: "src/store/sqlite/backups/backup.ts",
    line: "return [name, counting.get<readonly [number]>([])?.[0] ?? 0];",
    fault: "counting.get<readonly [number]>([])?.[0] ?? 0  →  counting.get<readonly [number]>([])?.[0]",
    reason: "`count(*)` always has a row. The zero is for the type alone.",
  },
  {
    file: "src/store/sqlite/backups/backup.ts",
    line: 'if (table !== "ninefold_meta" && counts.get(table) !== count)',
    fault: 'table !== "ninefold_meta" && counts.get(table) !== count  →  false',
    reason: "The rows of a copy are those of its read transaction, unless SQLite has a fault.",
  },
  {
    file: "src/store/sqlite/backups/backup.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: 'throw damaged(name, `${table} has ${counts.get(table) ?? "no"} rows instead of ${count}`);',
    fault: 'counts.get(table) ?? "no"  →  counts.get(table)',
    reason: "The rows of a copy are those of its read transaction, unless SQLite has a fault.",
  },
  {
    file: "src/store/sqlite/backups/restore.ts",
    line: "copyFileSync(place, former);",
    fault: "copyFileSync(place, former);  →  {}",
    reason: "It needs a file system without hard links.",
  },
  {
    file: "src/store/sqlite/backups/sibling-copy.ts",
    line: "checkCopy(part, copy, false);",
    fault: "checkCopy(part, copy, false);  →  {}",
    reason: "Only a disk that loses bytes between writing and reading makes a damaged copy.",
  },
];
