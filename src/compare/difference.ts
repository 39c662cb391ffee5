/** Differences between two documents of a service, as its callers and receivers notice them. */
import type { Position } from "../source/source.ts";
import { type RuleName, rules, type Severity } from "./rules.ts";

export const severities: readonly Severity[] = ["breaking", "careful", "fine"];

export interface Difference {
  readonly rule: RuleName;
  readonly severity: Severity;
  /** What differs: `Parcel.weight`, `POST /parcels`, `event parcel.sent`. */
  readonly subject: string;
  /** A single sentence. */
  readonly message: string;
  /** The clients that notice, by the operations that they call. */
  readonly audience: Audience;
  readonly place: Place;
  /** What to write in part 9, so that old callers don't notice. */
  readonly write?: string;
}

export interface Audience {
  /** Operations such as `GET /parcels`. Empty if all callers are meant. */
  readonly operations: readonly string[];
  /** Names of versions. Empty if the difference is the same in all versions. */
  readonly versions: readonly string[];
  /** The clients receive events and call nothing. `operations` are then the names of the events. */
  readonly areReceivers: boolean;
  /** Only the callers that name no version. */
  readonly areWithoutVersion?: true;
}

/** A position in the new document. For what was removed, in the old one. */
export interface Place {
  readonly in: "old" | "new";
  readonly position: Position;
}

export interface Found {
  readonly rule: RuleName;
  readonly severity?: Severity;
  readonly subject: string;
  readonly message: string;
  readonly place: Place;
  readonly operations?: readonly string[];
  readonly version?: string | undefined;
  readonly areReceivers?: boolean;
  readonly areWithoutVersion?: true;
  readonly write?: string | undefined;
}

/** Collects differences. The same difference in several operations and versions is one. */
export class Differences {
  readonly #found = new Map<string, Difference>();

  add({ rule, severity = rules[rule].severity, subject, message, place, ...of }: Found): void {
    const key = JSON.stringify([rule, subject, message, of.areReceivers ?? false]);
    const before = this.#found.get(key);
    const write = before?.write ?? of.write;
    this.#found.set(key, {
      rule,
      severity,
      subject,
      message,
      audience: {
        operations: union(before?.audience.operations, of.operations),
        versions: union(before?.audience.versions, of.version === undefined ? [] : [of.version]),
        areReceivers: of.areReceivers ?? false,
        ...(of.areWithoutVersion ? { areWithoutVersion: true } : {}),
      },
      place: before?.place ?? place,
      ...(write === undefined ? {} : { write }),
    });
  }

  /** Whether there is a difference of that subject. */
  has(subject: string): boolean {
    return this.#found.values().some((difference) => difference.subject === subject);
  }

  /** Whether there is a difference of that subject or of a part of it. */
  hasWithin(subject: string): boolean {
    return this.#found
      .values()
      .some(
        (difference) =>
          difference.subject === subject ||
          [".", "["].some((inner) => difference.subject.startsWith(`${subject}${inner}`)),
      );
  }

  /** The most severe first, then in the order of the new document. What was removed has its position in the old one. */
  all(): readonly Difference[] {
    return mergedOperations([...this.#found.values()]).toSorted(
      (a, b) =>
        severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
        a.place.position.start.offset - b.place.position.start.offset,
    );
  }
}

/** As many operations with the same difference are reported as one difference. */
const mergedFrom = 4;

/** Differences whose subjects are operations, `GET /parcels query.limit`, with the same text. */
function mergedOperations(differences: readonly Difference[]): readonly Difference[] {
  const groups = Map.groupBy(differences, (difference) => {
    const { rule, severity, subject, message, audience, write, place } = difference;
    const [operation = "", ...others] = audience.operations;
    const isOfOperation =
      others.length === 0 && operation !== "" && `${subject} `.startsWith(`${operation} `);
    const text = message.replace(operation, "");
    return isOfOperation
      ? JSON.stringify([rule, severity, text, audience.versions, audience.areReceivers, write, place.in])
      : difference;
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first || group.length < mergedFrom) return group;
    const [operation = ""] = first.audience.operations;
    const [count, inner] = [`${group.length} endpoints`, first.subject.slice(operation.length + 1)];
    const what = first.message.slice(first.subject.length + 3);
    return [
      {
        ...first,
        subject: inner === "" ? count : `${count} ${inner}`,
        message: inner === "" ? `Each of ${count} ${what}` : `\`${inner}\` of ${count} ${what}`,
        audience: { ...first.audience, operations: group.flatMap(({ audience }) => audience.operations) },
      },
    ];
  });
}

function union(before: readonly string[] = [], more: readonly string[] = []): readonly string[] {
  return [...new Set([...before, ...more])];
}

const operationsNamed = 3;

/** `callers of GET /parcels and 2 more, version 2026-05-01`, `receivers of parcel.sent`. */
export function audienceWords({ operations, versions, areReceivers, areWithoutVersion }: Audience): string {
  if (areWithoutVersion) return "callers that name no version";
  const named = operations.slice(0, operationsNamed).join(", ");
  const more = operations.length - operationsNamed;
  const of = `${named}${more > 0 ? ` and ${more} more` : ""}`;
  const everyone = areReceivers ? "receivers of events" : "all callers";
  const who = operations.length === 0 ? everyone : `${areReceivers ? "receivers" : "callers"} of ${of}`;
  if (versions.length === 0) return who;
  return `${who}, version${versions.length === 1 ? "" : "s"} ${versions.join(", ")}`;
}
