/** `sent as`: a name in requests and responses belongs to nothing else that is sent with it, also as a name of the document. */
import { sentName } from "../../fields/rule.ts";
import type { FieldPart } from "../../fields/type.ts";
import { pageParameters } from "../../model/endpoints/engine-inputs.ts";
import { partsOf } from "../../model/versions/changes.ts";
import { nameOnWire } from "../../model/versions/versioned-inputs.ts";
import type { Position } from "../../source/source.ts";
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

interface Sent {
  readonly name: string;
  readonly position: Position;
  /** It has its name by `sent as`. Without such a one, other checks report the clash. */
  readonly isStated: boolean;
}

export const sentTwice: Check = ({ resources, endpoints }, reporter) => {
  const report = (all: readonly Sent[]): void => {
    // The stated ones are the later ones, which are at fault.
    const sorted = all.toSorted((a, b) => Number(a.isStated) - Number(b.isStated));
    reportRepeated(
      sorted,
      ({ name }) => name,
      ({ name, position, isStated }, related) => {
        if (isStated) reporter.report("resources/sent-twice", position, { name }, related);
      },
    );
  };
  const reportParts = (parts: readonly (FieldPart & { readonly position?: Position })[], at: Position) => {
    report(
      parts.flatMap(({ name, rules, position = at }) => {
        const sentAs = sentName(rules);
        return [
          { name, position, isStated: false },
          ...(sentAs === undefined ? [] : [{ name: sentAs, position, isStated: true }]),
        ];
      }),
    );
    for (const part of parts) reportParts(partsOf(part.type), part.position ?? at);
  };
  for (const { fields, position } of resources) reportParts(fields, position);
  for (const { inputs, pagination, position } of endpoints)
    for (const place of ["body", "query"] as const) {
      const own = inputs.filter((input) => input.in === place);
      report([
        ...[
          ...own.map(({ name }) => name.join(".")),
          ...(place === "query" ? pageParameters(pagination) : []),
        ].map((name) => ({ name, position, isStated: false })),
        ...own.flatMap((input) => {
          const sent = nameOnWire(input);
          return sent === input.name
            ? []
            : [{ name: sent.join("."), position: input.position, isStated: true }];
        }),
      ]);
    }
};
