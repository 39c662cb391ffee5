/**
 * Changes of a version against the one before (3.9): the items under `### Changes in 2026-11-01`.
 * They are read from the newest version to the oldest, so that each is checked against the names of
 * its own time.
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Expression } from "../../../expressions/node.ts";
import { type Scope, withFixed, withNamed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { ItemNode, Section } from "../../../syntax/nodes.ts";
import { afterWord, isNotShown, itemsOf } from "../../../syntax/read.ts";
import type { VersionChange } from "../../model.ts";
import { orderedChanges, pathOf } from "../../versions/changes.ts";
import {
  endpointNames,
  knownEndpoint,
  parseEndpointName,
  sameEndpoint,
  writtenName,
} from "../any-part/endpoint-names.ts";
import { recordScope } from "../scopes/record-scope.ts";
import { isRemoved, isThere, type Member, readMember, type VersioningReader } from "./version-members.ts";
import type { VersionNames } from "./version-names.ts";
import type { SentNames } from "./version-sent.ts";
import { splitAtWord } from "../any-part/when-clause.ts";

export interface ChangesOf {
  readonly version: string;
  readonly section: Section;
  /** Whether a version before this one is served, so that its names must be known. */
  readonly olderServed: boolean;
}

const forms = {
  Renamed: "`Parcel.weight to Parcel.weight_grams`",
  Added: "`Parcel.price`",
  Removed: "`Issue.assignee, was <expr>`, or `assignee of POST /issues, as assignees = <expr>`",
  Default: '`Parcel.mode, was "slow"`',
  Replaced: "`Parcel.name, new <expr of old>, old <expr of new>`",
  "Endpoint added": "`POST /parcels`",
  "Endpoint removed": "`GET /boxes`",
} as const;

type ChangeKey = keyof typeof forms;

export function readChanges(
  reader: VersioningReader,
  changes: ChangesOf,
  names: VersionNames,
  sent: SentNames,
): VersionChange[] {
  const read: VersionChange[] = [];
  // All at once, because the items of a version may name each other's inputs.
  sent.note(changes.section);
  const readers: Readonly<
    Record<ChangeKey, (value: Phrase, position: Position) => VersionChange | undefined>
  > = {
    Renamed: (value, position) => readRenamed(reader, value, position, names),
    Added: (value, position) => readAdded(reader, value, position, names),
    Removed: (value, position) => readRemoved(reader, value, position, names, sent),
    Default: (value, position) => readDefault(reader, value, position, names),
    Replaced: (value, position) => readReplaced(reader, value, position, names, sent),
    "Endpoint added": (value, position) => readEndpointAdded(reader, value, position),
    "Endpoint removed": (value, position) => readEndpointRemoved(reader, value, position, changes),
  };
  const open = (item: ItemNode) =>
    reader.gap("version scheme", `how version ${changes.version} differs from the one before`, item.position);
  reader.items(
    itemsOf(changes.section.body),
    (Object.keys(forms) as ChangeKey[]).map((key) => ({
      key,
      expected: forms[key],
      several: true,
      read(item: ItemNode) {
        if (isNotShown(item.value)) open(item);
        else {
          const change = readers[key](trim(item.value), item.position);
          if (change) read.push(change);
        }
      },
    })),
  );
  // Undone at the end, because the items of a version refer to that version, in any order. Names change last.
  for (const change of orderedChanges(read)) undo(names, change);
  return read;
}

function undo(names: VersionNames, change: VersionChange): void {
  if (change.kind === "replaced") names.undo(change.subject, undefined, change.name, change.old.node.type);
  else if (change.kind === "renamed")
    names.undo(change.subject, change.to, change.from, names.typeOf(change.subject, change.to));
  else if (change.kind === "added") names.undo(change.subject, change.name, undefined);
  else if (change.kind === "removed")
    names.undo(change.subject, undefined, change.name, change.was?.node.type);
}

function readRenamed(
  reader: VersioningReader,
  value: Phrase,
  position: Position,
  names: VersionNames,
): VersionChange | undefined {
  const parted = splitAtWord(unquote(value), "to");
  if (!parted) return reader.unreadable(value, forms.Renamed);
  const from = readMember(reader, parted[0], names, forms.Renamed);
  const to = readMember(reader, parted[1], names, forms.Renamed);
  if (!from || !to) return undefined;
  const [of, into] = [holderOf(from), holderOf(to)];
  if (of !== into) {
    const params = { from: of, to: into, part: nonNull(pathOf(from.name.text).at(-1)), name: to.name.text };
    reader.context.reporter.report("versioning/renamed-elsewhere", positionIn(to.subject), params);
    return undefined;
  }
  if (!isThere(reader, to, names) || !isRemoved(reader, from, names, "renamed")) return undefined;
  return { kind: "renamed", subject: to.subject.text, from: from.name.text, to: to.name.text, position };
}

/** The container of a field: its resource, or an object. */
function holderOf({ subject, name }: Member): string {
  return [subject.text, ...pathOf(name.text).slice(0, -1)].join(".");
}

function readAdded(
  reader: VersioningReader,
  value: Phrase,
  position: Position,
  names: VersionNames,
): VersionChange | undefined {
  const member = readMember(reader, value, names, forms.Added);
  if (!member || !isThere(reader, member, names)) return undefined;
  return { kind: "added", subject: member.subject.text, name: member.name.text, position };
}

function readRemoved(
  reader: VersioningReader,
  value: Phrase,
  position: Position,
  names: VersionNames,
  sent: SentNames,
): VersionChange | undefined {
  const { clauses, stored } = splitStored(value);
  const [head, ...rest] = clauses;
  if (!head || rest.length > 1) return reader.unreadable(rest[1] ?? value, forms.Removed);
  const ofEndpoint = splitAtWord(head, "of");
  // An input is never stored.
  if (ofEndpoint && stored) return reader.unreadable(value, forms.Removed);
  if (ofEndpoint) return readRemovedInput(reader, ofEndpoint, rest[0], position, sent);
  const member = readMember(reader, head, names, forms.Removed);
  if (!member || !isRemoved(reader, member, names, "removed")) return undefined;
  const was = readWas(reader, rest[0], thingScope(reader, member.subject.text), forms.Removed);
  if (was === "unreadable") return undefined;
  return {
    kind: "removed",
    subject: member.subject.text,
    name: member.name.text,
    ...(was ? { was } : {}),
    ...(stored ? { stored } : {}),
    position,
  };
}

/** Reads `assignee of POST /issues, as assignees = <expr>`: an input that older clients still send. */
function readRemovedInput(
  reader: VersioningReader,
  [name, of]: readonly [Phrase, Phrase],
  as: Phrase | undefined,
  position: Position,
  sent: SentNames,
): VersionChange | undefined {
  const input = unquote(name);
  if (!/^[\w.-]+$/.test(input.text)) return reader.unreadable(input, forms.Removed);
  const endpoint = knownEndpoint(reader, unquote(of));
  if (!endpoint) return undefined;
  const change = {
    kind: "removed input",
    input: input.text,
    endpoint: writtenName(endpoint),
    position,
  } as const;
  if (!as) return change;
  const assignment = parseAssignment(afterWord(as, "as"));
  if (!assignment) return reader.unreadable(as, forms.Removed);
  const scope = sent.scope(reader.context.declarations.baseScope, endpoint);
  const value = reader.expression(assignment.value, withNamed(scope, input.text, types.any));
  return value ? { ...change, as: { input: assignment.name, value } } : undefined;
}

/** Reads `assignees = <expr>`, with backticks around everything or around the expression. */
function parseAssignment(
  clause: Phrase | undefined,
): { readonly name: string; readonly value: Phrase } | undefined {
  const whole = clause && unquote(clause);
  const match = whole && /^`?([\w.-]+)`?\s*=(?!=)/.exec(whole.text);
  return match ? { name: nonNull(match[1]), value: trim(slice(whole, match[0].length)) } : undefined;
}

function readDefault(
  reader: VersioningReader,
  value: Phrase,
  position: Position,
  names: VersionNames,
): VersionChange | undefined {
  const [head, clause, ...more] = splitClauses(value);
  if (!head || !clause || more.length > 0) return reader.unreadable(more[0] ?? value, forms.Default);
  const member = readMember(reader, head, names, forms.Default);
  if (!member || !isThere(reader, member, names)) return undefined;
  const { subject, name } = member;
  const expected = names.typeOf(subject.text, name.text);
  const was = readWas(reader, clause, defaultScope(reader), forms.Default, expected);
  if (!was || was === "unreadable") return undefined;
  return { kind: "default", subject: subject.text, name: name.text, was, position };
}

/**
 * `Parcel.name, new <expr of old>, old <expr of new>`: `old` is the value of the previous version,
 * `new` that of this one.
 */
function readReplaced(
  reader: VersioningReader,
  value: Phrase,
  position: Position,
  names: VersionNames,
  sent: SentNames,
): VersionChange | undefined {
  const { clauses: written, stored } = splitStored(value);
  const [head, ...clauses] = written;
  if (!head) return reader.unreadable(value, forms.Replaced);
  const toNew = clauses.map((clause) => afterWord(clause, "new")).find((clause) => clause !== undefined);
  const toOld = clauses.map((clause) => afterWord(clause, "old")).find((clause) => clause !== undefined);
  if (!toNew || !toOld || clauses.length !== 2) return reader.unreadable(value, forms.Replaced);
  const member = readMember(reader, head, names, forms.Replaced);
  if (!member || !isThere(reader, member, names)) return undefined;
  const { subject, name } = member;
  const type = names.typeOf(subject.text, name.text) ?? types.any;
  const base = sent.scope(reader.context.declarations.baseScope);
  const newer = reader.expression(toNew, withFixed(base, { old: types.any }), type);
  const older = reader.expression(toOld, withNamed(thingScope(reader, subject.text), "new", type));
  if (!newer || !older) return undefined;
  return {
    kind: "replaced",
    subject: subject.text,
    name: name.text,
    new: newer,
    old: older,
    ...(stored ? { stored } : {}),
    position,
  };
}

/** Reads `was <expr>`. Undefined without the clause, or if it is not shown. */
function readWas(
  reader: VersioningReader,
  clause: Phrase | undefined,
  scope: Scope,
  form: string,
  expected?: Type,
): Expression | "unreadable" | undefined {
  if (!clause) return undefined;
  const was = afterWord(clause, "was");
  if (was && isNotShown(was)) {
    reader.gap("version scheme", "the value that older versions return instead", positionIn(was));
    return undefined;
  }
  if (!was || was.text === "") {
    reader.unreadable(clause, form);
    return "unreadable";
  }
  return reader.expression(was, scope, expected) ?? "unreadable";
}

/**
 * The scope of the value that an older version had if nothing was sent. It is computed while the request is read, so
 * there is no record yet.
 */
function defaultScope({ context }: VersioningReader): Scope {
  return context.declarations.baseScope;
}

/** The scope of output for older clients: the current record, or the page. */
function thingScope(reader: VersioningReader, subject: string): Scope {
  const { declarations } = reader.context;
  const of = declarations.resources.has(subject) ? subject : declarations.shapes.get(subject)?.of;
  if (of !== undefined) return recordScope(declarations, of);
  return withFixed(declarations.baseScope, { page: types.any });
}

function readEndpointAdded(
  reader: VersioningReader,
  value: Phrase,
  position: Position,
): VersionChange | undefined {
  const endpoint = knownEndpoint(reader, unquote(value));
  return endpoint && { kind: "endpoint added", endpoint: writtenName(endpoint), position };
}

/**
 * A removed endpoint stays in the document as long as an older version has it. Otherwise its
 * responses to callers of that version are unknown.
 */
function readEndpointRemoved(
  reader: VersioningReader,
  value: Phrase,
  position: Position,
  { version, olderServed }: ChangesOf,
): VersionChange | undefined {
  const phrase = unquote(value);
  const endpoint = parseEndpointName(phrase.text);
  if (!endpoint) return reader.unreadable(phrase, forms["Endpoint removed"]);
  const known = endpointNames(reader.context.document).some((candidate) => sameEndpoint(candidate, endpoint));
  const name = writtenName(endpoint);
  if (!known && olderServed)
    reader.gap("version scheme", `the endpoint ${name} of versions before ${version}`, positionIn(phrase));
  return { kind: "endpoint removed", endpoint: name, position };
}

/** Splits `Parcel.mode, was "slow"`; enclosing backticks are removed. */
function splitClauses(value: Phrase): Phrase[] {
  return splitOutside(unquote(value), ",");
}

/** Splits off `, stored`: the change also applies to stored records. */
function splitStored(value: Phrase): { readonly clauses: readonly Phrase[]; readonly stored?: true } {
  const clauses = splitClauses(value);
  const isStored = clauses.length > 1 && /^stored$/i.test(clauses.at(-1)?.text ?? "");
  return isStored ? { clauses: clauses.slice(0, -1), stored: true } : { clauses };
}
