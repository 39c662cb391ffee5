/** Inline content of the document as nodes; each line of a paragraph has its own anchor. */
import type { ComponentChildren, VNode } from "preact";
import type { Inline } from "../../../../src/syntax/document-tree.ts";

/**
 * @param line the first line, from which breaks are counted; without it, no anchors are rendered
 */
export function Inlines({ of, line }: { readonly of: readonly Inline[]; readonly line?: number }): VNode {
  let at = line ?? 0;
  const nodesOf = (inlines: readonly Inline[]): ComponentChildren[] =>
    inlines.map((inline) => {
      if (typeof inline === "string") return inline;
      switch (inline.kind) {
        case "code":
          return <code>{inline.text}</code>;
        case "strong":
          return <strong>{nodesOf(inline.of)}</strong>;
        case "emphasis":
          return <em>{nodesOf(inline.of)}</em>;
        case "break":
          at += 1;
          return line === undefined ? (
            " "
          ) : (
            <span class="line-start" id={`L${at}`}>
              {" "}
            </span>
          );
        case "link":
          return inline.to.startsWith("#") ? (
            <span>{nodesOf(inline.of)}</span>
          ) : (
            <a href={inline.to} target="_blank" rel="noreferrer noopener">
              {nodesOf(inline.of)}
            </a>
          );
        default:
          return null;
      }
    });
  return <>{nodesOf(of)}</>;
}

/** Splits `Key: value`, whose key is highlighted. */
export function splitKey(
  of: readonly Inline[],
): { readonly key: string; readonly rest: readonly Inline[] } | undefined {
  const [first, ...otherInlines] = of;
  if (typeof first !== "string") return undefined;
  const keyMatch = /^([^:`]{1,80}):(?=\s|$)(.*)$/s.exec(first);
  if (!keyMatch) return undefined;
  const [, key = "", rest = ""] = keyMatch;
  return { key, rest: rest === "" ? otherInlines : [rest.trimStart(), ...otherInlines] };
}

/** The plain text, for the outline. */
export function plainTextOf(of: readonly Inline[]): string {
  return of
    .map((inline) => {
      if (typeof inline === "string") return inline;
      if (inline.kind === "code") return inline.text;
      return inline.kind === "break" ? " " : plainTextOf(inline.of);
    })
    .join("");
}
