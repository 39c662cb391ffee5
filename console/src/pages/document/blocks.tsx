/**
 * The blocks of the document. The line number to the left of a block is its anchor. Diagnostics of
 * `check` are below their line.
 */
import { createContext, type VNode } from "preact";
import { useContext } from "preact/hooks";
import type { Mark } from "../../../../src/admin/api/document/document.ts";
import type { DocumentBlock, DocumentRow } from "../../../../src/syntax/document-tree.ts";
import { t } from "../../words/words.ts";
import { Inlines, splitKey } from "./inlines.tsx";
import { Marks, toneOf } from "./marks.tsx";

/** The diagnostics of the block that starts at a line. */
export type FindMarks = (from: number) => readonly Mark[];
export const MarksContext = createContext<FindMarks>(() => []);

export function Blocks({ of }: { readonly of: readonly DocumentBlock[] }): VNode {
  return (
    <>
      {of.map((block) => (
        <Block key={block.line} block={block} />
      ))}
    </>
  );
}

function LineNumber({ line }: { readonly line: number }): VNode {
  const [worst] = useContext(MarksContext)(line);
  return (
    <a
      class={`line-number ${worst ? toneOf(worst) : ""}`}
      id={`L${line}`}
      href={`#L${line}`}
      aria-label={t("document.lineNumber", { line: String(line) })}
    >
      {line}
    </a>
  );
}

/** The marks of the block that starts at this line. */
function MarksHere({ line }: { readonly line: number }): VNode | null {
  return <Marks of={useContext(MarksContext)(line)} />;
}

function Block({ block }: { readonly block: DocumentBlock }): VNode {
  const { line } = block;
  switch (block.kind) {
    case "heading": {
      const Heading = `h${Math.min(6, block.level + 1)}` as "h2";
      return (
        <>
          <Heading class={`level-${block.level}`}>
            <LineNumber line={line} />
            <Inlines of={block.of} />
          </Heading>
          <MarksHere line={line} />
        </>
      );
    }
    case "paragraph":
      return (
        <>
          <p>
            <LineNumber line={line} />
            <Inlines of={block.of} line={line} />
          </p>
          <MarksHere line={line} />
        </>
      );
    case "list": {
      const List = block.ordered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((item) => (
            <li key={item.line}>
              <Item blocks={item.blocks} line={item.line} />
            </li>
          ))}
        </List>
      );
    }
    case "quotation":
      return (
        <blockquote>
          <Blocks of={block.blocks} />
        </blockquote>
      );
    case "table":
      return <Rows block={block} />;
    case "fence":
      return <Lines text={block.text} from={line} language={block.language} isFenced />;
    case "inert":
      return <Lines text={block.text} from={line} language={t("document.inert")} isFenced={false} />;
    case "rule":
      return <hr />;
    case "too deep":
      return (
        <p class="muted">
          <LineNumber line={line} />
          {t("document.tooDeep")}
        </p>
      );
  }
}

/** An item; the key of `Key: value` is highlighted. */
function Item({ blocks, line }: { readonly blocks: readonly DocumentBlock[]; readonly line: number }): VNode {
  const [first, ...otherBlocks] = blocks;
  if (first?.kind !== "paragraph") return <Blocks of={blocks} />;
  const keyed = splitKey(first.of);
  return (
    <>
      <p>
        <LineNumber line={line} />
        {keyed ? (
          <>
            <strong class="item-key">{keyed.key}:</strong> <Inlines of={keyed.rest} line={line} />
          </>
        ) : (
          <Inlines of={first.of} line={line} />
        )}
      </p>
      <MarksHere line={line} />
      <Blocks of={otherBlocks} />
    </>
  );
}

function Rows({ block }: { readonly block: DocumentBlock & { readonly kind: "table" } }): VNode {
  const { line, head, rows } = block;
  const marksOf = useContext(MarksContext);
  const columns = head.length;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls.
    <div class="document-table" role="group" aria-label={t("document.table", { line: String(line) })}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at}>
                {at === 0 && <LineNumber line={line} />}
                <Inlines of={cell} />
              </th>
            ))}
          </tr>
          <MarkRow marks={marksOf(line)} columns={columns} />
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.line} row={row} columns={columns} marks={marksOf(row.line)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({
  row: { line, cells },
  columns,
  marks,
}: {
  readonly row: DocumentRow;
  readonly columns: number;
  readonly marks: readonly Mark[];
}): VNode {
  return (
    <>
      <tr>
        {cells.map((cell, at) => (
          <td key={at}>
            {at === 0 && <LineNumber line={line} />}
            <Inlines of={cell} />
          </td>
        ))}
      </tr>
      <MarkRow marks={marks} columns={columns} />
    </>
  );
}

function MarkRow({
  marks,
  columns,
}: {
  readonly marks: readonly Mark[];
  readonly columns: number;
}): VNode | null {
  if (marks.length === 0) return null;
  return (
    <tr class="mark-row">
      <td colSpan={columns}>
        <Marks of={marks} />
      </td>
    </tr>
  );
}

/** Code, and text that isn't parsed: line by line, unchanged. */
function Lines({
  text,
  from,
  language,
  isFenced,
}: {
  readonly text: string;
  readonly from: number;
  readonly language: string;
  readonly isFenced: boolean;
}): VNode {
  const first = isFenced ? from + 1 : from;
  const line = String(from);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls. */}
      <div
        class={`document-code ${isFenced ? "" : "inert"}`}
        role="group"
        aria-label={
          language === "" ? t("document.plainCode", { line }) : t("document.code", { language, line })
        }
      >
        {isFenced && (
          <div class="code-language">
            <LineNumber line={from} />
            {language}
          </div>
        )}
        {text.split("\n").map((content, at) => (
          <div key={at} class="code-line">
            <LineNumber line={first + at} />
            <code>{content === "" ? " " : content}</code>
            <MarksHere line={first + at} />
          </div>
        ))}
      </div>
      {isFenced && <MarksHere line={from} />}
    </>
  );
}
