/** The diagnostics of shapes, which are reported under `endpoints`. */
import { mistake, warning } from "../code.ts";
import { duplicate, type Named } from "./form-codes.ts";

export const shapeCodes = {
  "endpoints/unused-shape": warning<Named & { readonly of?: string }>(
    ({ name }) => `Unused shape "${name}": no response, event, error or other shape contains it.`,
    ({ of }) =>
      of === undefined
        ? "Name it where it should be returned, or remove it."
        : `Name it where it should be returned (\`Returns: 200 …\`), rename it to \`${of}\` to return every ${of} so, or remove it.`,
  ),
  "endpoints/unread-block": mistake<Named>(
    ({ name }) => `The block of the shape "${name}" is not marked \`cel\`, so it is not read.`,
    "Write `cel` after the backticks that open the block.",
  ),
  "endpoints/item-of-shape": mistake<{ readonly key: string }>(
    ({ key }) => `Item "${key}" is not allowed here: a shape has no items.`,
    "Remove this item. The `cel` block has all that the shape contains.",
  ),
  "endpoints/shape-without-record": mistake<Named & { readonly endpoint: string }>(
    ({ name, endpoint }) => `Shape "${name}" is not allowed here: ${endpoint} has no current record.`,
    ({ name }) => `Write an expression in backticks that names the record: \`${name}(…)\`.`,
  ),
  "endpoints/shape-of-other": mistake<{
    readonly shape: string;
    readonly of: string;
    readonly resource: string;
  }>(
    ({ shape, of, resource }) => `"${shape}" is a shape of ${of}, but the record here is of ${resource}.`,
    ({ shape }) => `Write an expression in backticks: \`${shape}(this.…)\`.`,
  ),
  "endpoints/bad-shape-name": mistake<Named>(
    ({ name }) => (name === "" ? "Missing shape name." : `Invalid shape name "${name}".`),
    "Write it as in `### Shape: ParcelPage`. The name has letters, digits and `_`, and begins with a capital letter.",
  ),
  "endpoints/shape-parameters": mistake<Named & { readonly why: string }>(
    ({ name, why }) => `Invalid parameters of shape "${name}": ${why}.`,
    "Write names in lower case, each once, that its block reads: `### Shape: Envelope(data)`.",
  ),
  "endpoints/duplicate-shape": duplicate<Named>(
    ({ name }) => `shape "${name}"`,
    "Rename one of the two. Parts 4, 6 and 7 share one name space of shapes.",
  ),
  "endpoints/shape-of-resource-name": mistake<Named>(
    ({ name }) => `The shape name "${name}" is already in use: ${name} is a resource.`,
    ({ name }) =>
      `Write \`### Shape: ${name} of ${name}\` to replace the default representation, or choose another name.`,
  ),
  "endpoints/shape-of-nothing": mistake<Named>(
    ({ name }) => `The shape "${name}" reads \`this\`, but names no resource.`,
    ({ name }) => `Write \`### Shape: ${name} of …\` with the resource.`,
  ),
  "endpoints/shape-circle": mistake<{ readonly names: readonly string[] }>(
    ({ names }) => `Circular shape: ${names.join(" → ")}.`,
    "In one of them, write the identifier instead of the whole record.",
  ),
  "endpoints/shape-too-large": mistake<Named & { readonly depth: number; readonly parts: number }>(
    ({ name, depth, parts }) =>
      `The shape "${name}" contains shapes more than ${depth} levels deep, or more than ${parts} of them.`,
    "In inner shapes, write identifiers instead of whole records.",
  ),
};
