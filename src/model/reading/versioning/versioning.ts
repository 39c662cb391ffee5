/**
 * Part 9, versioning: which versions exist, how a request names one, and their changes.
 * `declareVersioning` gives their names; `buildVersioning` reads everything and reports.
 */
import type { Scope } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, slice, trim, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { ItemNode, Section } from "../../../syntax/nodes.ts";
import { afterWord, isNone, isNotShown, itemsOf, keyText, tablesOf } from "../../../syntax/read.ts";
import type { Endpoint, Resource, Version, VersioningPart } from "../../model.ts";
import { newestFirst } from "../../versions/version-order.ts";
import type { BuildContext } from "../any-part/context.ts";
import { isStepName } from "./stored/headings.ts";
import { readStoredChanges } from "./stored/stored-changes.ts";
import { storedHeading } from "./stored/stored-items.ts";
import { createPartReader, type ItemForm, suggestion } from "../any-part/part-reader.ts";
import { readChanges } from "./version-changes.ts";
import type { VersioningReader } from "./version-members.ts";
import { VersionNames } from "./version-names.ts";
import { createSentNames, type SentNames } from "./version-sent.ts";
import {
  reportUndated,
  readVersionRows,
  versionCells,
  versionColumns,
  type VersionRow,
} from "./version-rows.ts";

/** The names of the versions. Reports nothing. */
export function declareVersioning(context: BuildContext): ReadonlyMap<string, Position> {
  const versions = new Map<string, Position>();
  for (const { name } of versionCells(context.document)) {
    if (name.text !== "" && !versions.has(name.text)) versions.set(name.text, positionIn(name));
  }
  return versions;
}

type Draft = {
  -readonly [K in "scheme" | "default" | "openDefault" | "compatibility" | "storedFrom"]?: VersioningPart[K];
};

/**
 * Builds part 9 of the model.
 * @param endpoints the inputs that clients send
 * @param resources the stored fields
 */
export function buildVersioning(
  context: BuildContext,
  endpoints: readonly Endpoint[],
  resources: readonly Resource[],
): VersioningPart {
  const reader = createPartReader(context, "versioning");
  const part = context.document.parts.versioning;
  const blocks = part?.body ?? [];
  const draft: Draft = {};
  for (const table of tablesOf(blocks)) reader.columns(table, "Version", versionColumns);
  reader.items(itemsOf(blocks), [
    ...schemeItems(reader, draft),
    defaultItem(reader, draft),
    ...compatibilityItems(reader, draft),
    storedFromItem(reader, draft),
  ]);
  const rows = readVersionRows(reader);
  reportUndated(reader, rows);
  noteNoVersions(reader, draft, rows);
  const versions = withChanges(reader, rows, part?.sections ?? [], createSentNames(endpoints));
  const storedChanges = readStoredChanges(reader, part?.sections ?? [], versions, resources);
  reader.answers.flush();
  return { ...draft, versions, storedChanges };
}

function storedFromItem(reader: VersioningReader, draft: Draft): ItemForm {
  const expected = "the name of the last stored change whose heading was removed";
  return {
    key: "Stored from",
    expected,
    read({ value, position }) {
      const name = unquote(value);
      if (isNone(name)) return;
      if (isNotShown(name)) reader.gap("version scheme", "which stores are accepted", position);
      else if (isStepName(name.text)) draft.storedFrom = { text: name.text, position: positionIn(name) };
      else reader.unreadable(name, expected);
    },
  };
}

const schemeForms = "`path prefix`, `header Parcel-Version`, `query version`, `media type` or `none`";

/** The items `Scheme` and `Version scheme`, which is the item's own name. */
function schemeItems(reader: VersioningReader, draft: Draft): ItemForm[] {
  const read = (item: ItemNode): void => {
    const { ledger } = reader.context;
    if (isNotShown(item.value)) {
      ledger.notShown("version scheme", item.position);
      return;
    }
    if (isNone(item.value)) {
      ledger.none("version scheme", item.position);
      draft.scheme = { kind: "none" };
      return;
    }
    reader.answers.stated("version scheme", item.position);
    const scheme = parseScheme(item.value);
    if (scheme) draft.scheme = scheme;
    else reader.unreadable(unquote(item.value), schemeForms);
  };
  return ["Scheme", "Version scheme"].map((key) => ({ key, expected: schemeForms, read }));
}

function parseScheme(value: Phrase): VersioningPart["scheme"] {
  const bare = unquote(value);
  const words = keyText(bare);
  if (words === "path prefix" || words === "media type") return { kind: words };
  for (const kind of ["header", "query"] as const) {
    const name = afterWord(bare, kind);
    if (name && /^[\w.[\]-]+$/.test(unquote(name).text)) return { kind, name: unquote(name).text };
  }
  return undefined;
}

/** The version is determined before limits and inputs, so those names aren't available. */
function pinnedScope(scope: Scope): Scope {
  const { limits: _limits, headers: _unread, request, ...fixed } = scope.fixed;
  if (request?.kind !== "object") return { ...scope, fixed };
  const { version: _itself, body: _waiting, replayed: _unknown, ...fields } = request.fields;
  return { ...scope, fixed: { ...fixed, request: { ...request, fields } } };
}

const defaultForms = "`oldest`, `current`, a version, or `pinned per caller.version`";

function defaultItem(reader: VersioningReader, draft: Draft): ItemForm {
  return {
    key: "Default",
    expected: defaultForms,
    read(item) {
      if (isNotShown(item.value)) {
        const subject = "the version of requests that name none";
        draft.openDefault = reader.gap("version scheme", subject, item.position);
        return;
      }
      const value = readDefault(reader, item.value);
      if (value !== undefined) draft.default = value;
    },
  };
}

function readDefault(reader: VersioningReader, value: Phrase): VersioningPart["default"] {
  const bare = unquote(value);
  const words = keyText(bare);
  if (words === "oldest" || words === "current") return words;
  const pinned = afterWord(bare, "pinned per");
  if (pinned) {
    const bound = reader.expression(pinned, pinnedScope(reader.context.declarations.baseScope), types.string);
    return bound && { pinned: bound };
  }
  const { versions } = reader.context.declarations;
  if (versions.has(bare.text)) return { version: bare.text };
  if (/\s/.test(bare.text)) return reader.unreadable(bare, defaultForms);
  const params = suggestion(bare.text, [...versions.keys(), "oldest", "current"]);
  reader.context.reporter.report("versioning/unknown-version", positionIn(bare), params);
  return undefined;
}

/** The items `Compatibility` and `Compatibility rules`, which is the item's own name. */
function compatibilityItems(reader: VersioningReader, draft: Draft): ItemForm[] {
  const read = (item: ItemNode): void => {
    const { ledger } = reader.context;
    if (isNotShown(item.value)) ledger.notShown("compatibility rules", item.position);
    else if (isNone(item.value)) ledger.none("compatibility rules", item.position);
    else {
      reader.answers.stated("compatibility rules", item.position);
      draft.compatibility = item.value.text.trim();
    }
  };
  const expected = "in a sentence which changes clients must expect without a new version";
  return ["Compatibility", "Compatibility rules"].map((key) => ({ key, expected, read }));
}

/** Reports a scheme without versions, because a scheme states how a version is named. */
function noteNoVersions(reader: VersioningReader, draft: Draft, rows: readonly VersionRow[]): void {
  const { scheme } = draft;
  const named = scheme !== undefined && scheme.kind !== "none";
  const part = reader.context.document.parts.versioning;
  if (named && rows.length === 0 && part) {
    const item = itemsOf(part.body).find((item) => /^(version )?scheme$/.test(keyText(item.key)));
    reader.gap("version scheme", "which versions there are", (item ?? part).position);
  }
}

/** Adds to each version the changes under its heading. */
function withChanges(
  reader: VersioningReader,
  rows: readonly VersionRow[],
  sections: readonly Section[],
  sent: SentNames,
): Version[] {
  const headings = readHeadings(reader, rows, sections);
  const names = new VersionNames(reader.context);
  const ordered = newestFirst(rows);
  const changes = new Map<string, Version["changes"]>();
  for (const [at, row] of ordered.entries()) {
    const older = ordered.slice(at + 1);
    for (const section of headings.get(row.name) ?? []) {
      const olderServed = older.some((row) => row.status !== "retired");
      changes.set(row.name, [
        ...(changes.get(row.name) ?? []),
        ...readChanges(reader, { version: row.name, section, olderServed }, names, sent),
      ]);
    }
  }
  return rows.map((row) => {
    const changesAt = headings.get(row.name)?.map(({ heading }) => positionIn(heading));
    return { ...row, changes: changes.get(row.name) ?? [], ...(changesAt ? { changesAt } : {}) };
  });
}

/**
 * Reads `### Changes in 2026-11-01`, by version. Other headings are description. Content below them that would be
 * ignored is reported.
 */
function readHeadings(
  reader: VersioningReader,
  rows: readonly VersionRow[],
  sections: readonly Section[],
): ReadonlyMap<string, Section[]> {
  const { reporter } = reader.context;
  const found = new Map<string, Section[]>();
  for (const section of sections) {
    const heading = trim(section.heading);
    const match = /^changes\s+in\s+/i.exec(heading.text);
    if (storedHeading(heading)) continue;
    if (!match) {
      if (section.body.every((block) => block.kind === "prose")) continue;
      const params = {
        heading: heading.text,
        expected: "`### Changes in <version>` or `### Stored change: <name>`",
      };
      reporter.report("versioning/unknown-heading", positionIn(heading), params);
      continue;
    }
    const name = unquote(slice(heading, match[0].length));
    if (rows.some((row) => row.name === name.text)) {
      found.set(name.text, [...(found.get(name.text) ?? []), section]);
    } else {
      reporter.report(
        "versioning/unknown-version",
        positionIn(name),
        suggestion(
          name.text,
          rows.map((row) => row.name),
        ),
      );
    }
  }
  return found;
}
