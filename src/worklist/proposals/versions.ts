/**
 * Proposes the scheme of versions: a header or a query parameter whose values an import keeps in a
 * comment, or the first segment of the base path.
 */
import { isNotShown, itemsOf, keyText } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import type { Edit } from "../document/edits.ts";
import { withoutRows } from "./operations.ts";
import { lineOf, type SourceDocument } from "../document/source-document.ts";

export function proposeVersions(document: SourceDocument): readonly Proposal[] {
  const items = itemsOf(document.parts.versioning?.body ?? []);
  const open = items.find(({ key, value }) => keyText(key) === "version scheme" && isNotShown(value));
  const last = items.at(-1);
  if (!open || !last) return [];
  const [, seen = ""] = /<!-- openapi versions: (.*?) -->/.exec(document.source.text) ?? [];
  const scheme = inputScheme(document, seen) ?? prefixScheme(document);
  if (!scheme) return [];
  const { items: lines, versions, current, edits, evidence } = scheme;
  const rows = versions.map((name) => `| ${name} | ${name === current ? "current" : "not shown"} |`);
  const line = lineOf(open);
  const [first = "", ...further] = lines;
  return [
    {
      kind: "versions",
      subject: "versions",
      at: line,
      edits: [
        { line, text: first },
        ...(further.length === 0 ? [] : [{ after: line, lines: further }]),
        { after: lineOf(last), lines: ["", "| Version | Status |", "|---|---|", ...rows] },
        ...edits,
      ],
      evidence: [evidence],
    },
  ];
}

interface Scheme {
  readonly items: readonly string[];
  readonly versions: readonly string[];
  readonly current: string;
  readonly edits: readonly Edit[];
  readonly evidence: string;
}

/** `header Stripe-Version, required, values 2026-01-01 2025-01-01, default 2026-01-01, 12 of 14 operations` */
function inputScheme({ endpoints }: SourceDocument, seen: string): Scheme | undefined {
  const [input, another] = seen.split("; ").filter((text) => /^(header|query) /.test(text));
  const [, place = "", name = ""] = /^(header|query) ([\w-]+)/.exec(input ?? "") ?? [];
  if (input === undefined || another !== undefined || name === "") return undefined;
  const initial = /, default ([\w.-]+)/.exec(input)?.[1];
  const example = /, example ([\w.-]+)/.exec(input)?.[1];
  const values = /, values ([\w. -]+)/.exec(input)?.[1]?.split(" ") ?? [];
  const versions = values.length > 0 ? values : [initial ?? example ?? ""];
  // Without a default, requests without a version would be open.
  const isDecided = input.includes(", required") || (initial !== undefined && versions.includes(initial));
  const areDays = versions.every((version) => /^\d{4}-\d\d-\d\d$/.test(version));
  const [only, more] = versions;
  const current = more === undefined ? only : areDays ? versions.toSorted().at(-1) : undefined;
  if (!isDecided || current === undefined || current === "") return undefined;
  const own = endpoints.map((endpoint) => ({
    endpoint,
    rows: endpoint.inputs.filter(
      (row) => row.in === place && row.isOpen && row.name.toLowerCase() === name.toLowerCase(),
    ),
  }));
  return {
    items: [`- Scheme: ${place} \`${name}\``, ...(initial === undefined ? [] : [`- Default: ${initial}`])],
    versions: [current, ...versions.filter((version) => version !== current)],
    current,
    edits: own.flatMap(({ endpoint, rows }) => withoutRows(endpoint, rows)),
    evidence: input,
  };
}

/** `/v1` in front of the base path. */
function prefixScheme({ parts }: SourceDocument): Scheme | undefined {
  const base = itemsOf(parts.endpoints?.body ?? []).find(({ key }) => keyText(key) === "base path");
  const [text, version, rest] = /^\/(v\d+(?:\.\d+)*)(\/\S*)?$/.exec(base?.value.text.trim() ?? "") ?? [];
  if (!base || text === undefined || version === undefined) return undefined;
  return {
    items: ["- Scheme: path prefix"],
    versions: [version],
    current: version,
    edits: [{ line: lineOf(base), text: `- Base path: ${rest ?? "/"}` }],
    evidence: `base path ${text}`,
  };
}
