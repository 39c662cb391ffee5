/** The diagnostics of lists in part 4: orders, the fields that requests may name, pages. */
import { mistake, warning } from "../code.ts";
import { duplicate, unknownName, type UnknownName, type Named } from "./form-codes.ts";

export const listCodes = {
  "endpoints/hidden-field": mistake<Named>(
    ({ name }) => `"${name}" is hidden from clients, so \`any of\` must not list it.`,
    "Remove the field here, or let clients read it: remove `write-only`, `internal` or `shown once` from its rules.",
  ),
  "endpoints/not-ordered": mistake<{ readonly text: string; readonly type: string }>(
    ({ text, type }) => `"${text}" is a ${type}, which has no order.`,
    "Name a field with an order: a number, a text or a time.",
  ),
  "endpoints/constant-order": mistake<{
    readonly text: string;
    readonly isText: boolean;
    readonly fields: readonly string[];
  }>(
    ({ text }) => `"${text}" reads no field of the record, so it orders nothing.`,
    ({ text, isText, fields: [first = "FIELD", ...more] }) =>
      isText
        ? `To let requests choose the fields, write \`any of ${[first, ...more].join(", ")} by ${text}, else ${first}\`.`
        : `Write an expression over a field, such as \`${first}\`.`,
  ),
  "endpoints/unknown-role": unknownName<UnknownName & { readonly kind: string }>(
    "parameter role",
    ({ kind }) => ` of pagination by ${kind}`,
  ),
  "endpoints/missing-role": mistake<{ readonly kind: string; readonly role: string | undefined }>(
    ({ kind, role }) =>
      `Missing parameter for \`${role}\`: pagination by ${kind} needs it to request the next page.`,
    ({ role }) => `Add \`${role}: <name of the parameter>\` in the brackets.`,
  ),
  "endpoints/role-twice": duplicate<Named>(({ name }) => `parameter or role "${name}"`),
  "endpoints/next-page-unknown": warning<{
    readonly resource: string | undefined;
    readonly page: string | undefined;
  }>(
    "The client can't request the second page: no response contains the cursor of the next page.",
    ({ resource, page }) => {
      const returned = `Write \`- Returns: 200 ${page ?? "Page"} of ${resource ?? "…"}\``;
      const shape = ' with `### Shape: Page` and the `cel` block `{"items": page.items, "next": page.next}`';
      return `${returned}${page === undefined ? shape : ""}, or add \`, with Link\` to \`Pagination\`.`;
    },
  ),
} as const;
