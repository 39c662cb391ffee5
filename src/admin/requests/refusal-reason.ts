/**
 * Rejection sentence: what is wrong, the line that decided with its rule, the values that decided,
 * and what would be allowed.
 */
import { servingSchemes } from "../../model/authentication/caller-type.ts";
import type { Model } from "../../model/model.ts";
import { currentVersion } from "../../model/versions/request-version.ts";
import { reasonText } from "./reason-text.ts";
import type { JournalEntry, Reason } from "../../engine/observability/journal-entry.ts";

/** The maximum number of reasons in a sentence. */
const reasonsMax = 3;

/**
 * Null if the request was not rejected.
 * @param request the target without secrets
 */
export function refusalReason(model: Model, request: JournalEntry): string | null {
  const [first, ...others] = request.reasons;
  if (!first) return null;
  const problems = request.reasons.slice(0, reasonsMax).map((reason) => {
    const line = others.length > 0 ? lineWords(reason.line) : "";
    return `${reasonText({ ...request, reasons: [reason] }) ?? ""}${sentWords(reason)}${line}`;
  });
  const more = request.reasons.length - problems.length;
  const rest = more > 0 ? `, and ${more} more` : "";
  const allowed = allowedWords(model, request, first);
  const decided = others.length > 0 && !request.decided ? "" : decidedWords(request);
  const further = [allowed, versionWords(model, request)].filter((words) => words !== "");
  return [`${problems.join("; ")}${rest}${decided}`, ...further].join("; ").concat(".");
}

function sentWords({ field, value }: Reason): string {
  return field !== undefined && value !== undefined ? `, and \`${value}\` was sent` : "";
}

function lineWords(line: number | undefined): string {
  return line === undefined ? "" : ` (line ${line})`;
}

/** The rule and the values that decided; otherwise the line. */
function decidedWords({ decided, because }: JournalEntry): string {
  if (!decided) return lineWords(because?.start.line);
  const { text, line, holds, values } = decided;
  const verb = holds === null ? "decides by" : holds ? "rejects it if" : "requires";
  const known = values.map(
    ({ name, value }) => `\`${name}\` is ${value === null ? "hidden" : `\`${value}\``}`,
  );
  return `: line ${line} ${verb} \`${text}\`${known.length === 0 ? "" : `, and ${joined(known, "and")}`}`;
}

/** An older version has other inputs than the document shows, and is often not meant. */
function versionWords({ versioning }: Model, { version, reasons }: JournalEntry): string {
  const current = currentVersion(versioning);
  const isAboutInputs = reasons.some(({ field }) => field !== undefined);
  if (version === null || version === current || !isAboutInputs) return "";
  return `it was read as version \`${version}\`${current === undefined ? "" : `, and \`${current}\` is current`}`;
}

function allowedWords(
  model: Model,
  { endpoint }: JournalEntry,
  { condition, transition, resource, allowed = [], retryAfterSeconds, isGap }: Reason,
): string {
  if (isGap) return `\`ninefold next ${model.file}\` lists the open questions`;
  const some = allowed.slice(0, 12).map((name) => `\`${name}\``);
  switch (condition) {
    case "illegal transition": {
      const from = statesFrom(model, resource, transition).map((state) => `\`${state}\``);
      const starts =
        from.length === 0 ? [] : [`\`${transition}\` is possible while it is ${joined(from, "or")}`];
      const now = some.length === 0 ? "no transition is possible now" : `possible now: ${joined(some, "or")}`;
      return [...starts, now].join("; ");
    }
    case "unauthenticated": {
      const names = endpoint ? servingSchemes(model, endpoint).map(({ name }) => `\`${name}\``) : [];
      return names.length === 0 ? "" : `a credential of ${joined(names, "or")} is accepted`;
    }
    default:
      if (retryAfterSeconds !== undefined) return `it is allowed again in ${Math.ceil(retryAfterSeconds)} s`;
      return some.length === 0 ? "" : `allowed: ${joined(some, "or")}`;
  }
}

/** The states from which a transition can be called. */
function statesFrom(
  model: Model,
  resource: string | undefined,
  transition: string | undefined,
): readonly string[] {
  const machine = model.resources.find(({ name }) => name === resource)?.states;
  const ends = machine?.transitions.find(({ name }) => name === transition)?.ends ?? [];
  const from = ends.flatMap((end) => (end.trigger.kind === "call" && end.from !== "any" ? end.from : []));
  return [...new Set(from)];
}

function joined(texts: readonly string[], word: "and" | "or"): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`;
}
