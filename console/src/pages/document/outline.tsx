/**
 * Outline of the document: parts and their sections, each with its numbers of mistakes and gaps.
 */
import type { VNode } from "preact";
import type { Mark } from "../../../../src/admin/api/document/document.ts";
import type { DocumentBlock } from "../../../../src/syntax/document-tree.ts";
import { Chip } from "../../parts/chip.tsx";
import { linkToLine } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import { plainTextOf } from "./inlines.tsx";
import { kindOf } from "./marks.tsx";

export interface OutlinePart {
  readonly title: string;
  readonly line: number;
  readonly sections: readonly { readonly title: string; readonly line: number }[];
  readonly mistakes: number;
  readonly gaps: number;
}

export function outlineOf(blocks: readonly DocumentBlock[], marks: readonly Mark[]): readonly OutlinePart[] {
  const headings = blocks.filter((block) => block.kind === "heading");
  const parts = headings.filter(({ level }) => level === 2);
  return parts.map(({ of, line }, at) => {
    const end = parts[at + 1]?.line ?? Number.POSITIVE_INFINITY;
    const isIn = (block: { readonly line: number }) => block.line >= line && block.line < end;
    const sectionKinds = marks.filter(isIn).map(kindOf);
    return {
      title: plainTextOf(of),
      line,
      sections: headings
        .filter((heading) => heading.level === 3 && isIn(heading))
        .map((heading) => ({ title: plainTextOf(heading.of), line: heading.line })),
      mistakes: sectionKinds.filter((kind) => kind === "mistake" || kind === "warning").length,
      gaps: sectionKinds.filter((kind) => kind === "gap").length,
    };
  });
}

export function Outline({
  parts,
  active,
}: {
  readonly parts: readonly OutlinePart[];
  readonly active: number | undefined;
}): VNode {
  return (
    <nav class="outline" aria-label={t("document.outline")}>
      <ol>
        {parts.map((part) => (
          <li key={part.line}>
            <a href={linkToLine(part.line)} aria-current={part.line === active ? "true" : undefined}>
              <span class="outline-title">{part.title}</span>
              {part.mistakes > 0 && (
                <Chip tone="bad" title={t("document.mistakes", { count: part.mistakes })}>
                  {part.mistakes}
                </Chip>
              )}
              {part.gaps > 0 && (
                <Chip tone="gap" title={t("document.gaps", { count: part.gaps })}>
                  {part.gaps}
                </Chip>
              )}
            </a>
            {part.line === active && part.sections.length > 0 && (
              <ul>
                {part.sections.map((section) => (
                  <li key={section.line}>
                    <a href={linkToLine(section.line)}>{section.title}</a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
