/**
 * The document, rendered with line numbers that other pages link to, and with its mistakes and gaps
 * in place.
 */
import "./style.css";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DocumentResponse, Mark } from "../../../../src/admin/api/document/document.ts";
import type { DocumentBlock } from "../../../../src/syntax/document-tree.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";
import { Chip } from "../../parts/chip.tsx";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Views } from "../../parts/views.tsx";
import { useKeys } from "../../keys/keys.ts";
import { addressWith, hash, navigate, parameter } from "../../routing/address.ts";
import { linkTo, linkToLine } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import type { Page } from "../page.ts";
import { Blocks, MarksContext, type FindMarks } from "./blocks.tsx";
import { kindOf, type MarkKind, toneOf } from "./marks.tsx";
import { Outline, outlineOf } from "./outline.tsx";
import { WorkList } from "./work-list.tsx";

function DocumentPage(): VNode {
  const of = parameter("of");
  const isWorkList = parameter("view") === "questions";
  const { answer, error, again } = useAnswer<DocumentResponse>("/api/document", { of });
  // The document was saved or served again.
  useFrames("trouble", again);
  return (
    <>
      <PageHead title={t("document.title")} about={answer && <About answer={answer} />} />
      {error && <ErrorNotice error={error} again={again} />}
      <Views
        label={t("document.views")}
        of={[
          { label: t("document.viewText"), link: linkTo(["document"]), isCurrent: !isWorkList },
          {
            label: t("document.viewWorkList"),
            link: linkTo(["document"], { view: "questions" }),
            isCurrent: isWorkList,
          },
        ]}
      />
      {isWorkList && <WorkList />}
      {!isWorkList && answer?.unserved != null && <Unserved answer={answer} />}
      {!isWorkList && answer && <Text answer={answer} />}
    </>
  );
}

/** The last saved text can't be served: says which text is shown, with a link to the other. */
function Unserved({ answer: { is_served: isServed } }: { readonly answer: DocumentResponse }): VNode {
  return (
    <p class="unserved">
      {t(isServed ? "document.shownServed" : "document.shownSaved")}{" "}
      <a href={addressWith({ of: isServed ? undefined : "served" })}>
        {t(isServed ? "document.showSaved" : "document.showServed")}
      </a>
    </p>
  );
}

/** The file, and the numbers of mistakes and gaps, each with a link to the first. */
function About({ answer: { file, lines, marks } }: { readonly answer: DocumentResponse }): VNode {
  const firstOf = (kind: MarkKind) => marks.find((mark) => kindOf(mark) === kind);
  const count = (kind: MarkKind) => marks.filter((mark) => kindOf(mark) === kind).length;
  const kinds = [
    ["mistake", "document.mistakes"],
    ["warning", "document.warnings"],
    ["gap", "document.gaps"],
  ] as const;
  return (
    <>
      <code>{file}</code>
      <span>{t("document.lines", { count: lines })}</span>
      {kinds.map(([kind, words]) => {
        const first = firstOf(kind);
        return (
          first && (
            <a key={kind} href={linkToLine(first.line)}>
              <Chip tone={toneOf(first)}>{t(words, { count: count(kind) })}</Chip>
            </a>
          )
        );
      })}
      {marks.length === 0 && <Chip tone="ok">{t("document.good")}</Chip>}
    </>
  );
}

function Text({ answer: { blocks, marks } }: { readonly answer: DocumentResponse }): VNode {
  const article = useRef<HTMLElement>(null);
  const marksOf = useMemo(() => marksByPlace(blocks, marks), [blocks, marks]);
  const parts = useMemo(() => outlineOf(blocks, marks), [blocks, marks]);
  const [active, setActive] = useState<number>();
  const filtered = hash.value;

  useEffect(() => {
    const line = lineInAddress(filtered);
    if (line !== undefined && article.current) showLine(article.current, line);
  }, [filtered, blocks]);

  useEffect(() => {
    const look = () => {
      const passed = parts.filter(({ line }) => topOf(line) < innerHeight / 3);
      setActive(passed.at(-1)?.line ?? parts[0]?.line);
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [parts]);

  // Steps from heading to heading.
  const lines = parts.flatMap((part) => [part.line, ...part.sections.map((section) => section.line)]);
  const step = (by: 1 | -1) => {
    const here = lineInAddress(hash.value) ?? 0;
    const next = by === 1 ? lines.find((line) => line > here) : lines.findLast((line) => line < here);
    if (next !== undefined) navigate(linkToLine(next), { replaces: true });
  };
  useKeys({ j: () => step(1), k: () => step(-1) });

  if (blocks.length === 0) return <Empty title={t("document.tooLong")} />;
  return (
    <div class="document-page">
      <article class="document" ref={article}>
        <MarksContext.Provider value={marksOf}>
          <Blocks of={blocks} />
        </MarksContext.Provider>
      </article>
      <Outline parts={parts} active={active} />
    </div>
  );
}

function lineInAddress(of: string): number | undefined {
  const lineNumber = /^#L(\d{1,6})$/.exec(of)?.[1];
  return lineNumber === undefined ? undefined : Number(lineNumber);
}

function topOf(line: number): number {
  return document.getElementById(`L${line}`)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
}

/** Scrolls to a line, or to the last line before it that starts a block. */
function showLine(article: HTMLElement, line: number): void {
  for (const old of article.querySelectorAll(".is-target")) old.classList.remove("is-target");
  let at: HTMLElement | null = null;
  for (let before = line; before > 0 && !at; before -= 1) at = document.getElementById(`L${before}`);
  if (!at) return;
  (at.closest("tr, .code-line, .code-language") ?? at.parentElement)?.classList.add("is-target");
  at.scrollIntoView({ block: "center" });
  const number = at.matches("a") ? at : at.parentElement?.querySelector<HTMLElement>("a.line-number");
  number?.focus({ preventScroll: true });
}

/**
 * Diagnostics by the first line of their block: one on a paragraph's second line is shown below the
 * paragraph.
 */
function marksByPlace(blocks: readonly DocumentBlock[], marks: readonly Mark[]): FindMarks {
  const startLines = linesOf(blocks).sort((a, b) => a - b);
  const byLine = new Map<number, Mark[]>();
  for (const mark of marks) {
    const line = startLines.findLast((begin) => begin <= mark.line) ?? startLines[0] ?? 1;
    byLine.set(line, [...(byLine.get(line) ?? []), mark]);
  }
  return (line) => byLine.get(line) ?? [];
}

/** Every line that starts a block. */
function linesOf(blocks: readonly DocumentBlock[]): number[] {
  return blocks.flatMap((block): number[] => {
    switch (block.kind) {
      case "list":
        return block.items.flatMap((item) => [item.line, ...linesOf(item.blocks)]);
      case "quotation":
        return linesOf(block.blocks);
      case "table":
        return [block.line, ...block.rows.map((row) => row.line)];
      case "fence":
        return [block.line, ...block.text.split("\n").map((_, at) => block.line + 1 + at)];
      case "inert":
        return block.text.split("\n").map((_, at) => block.line + at);
      case "rule":
        return [];
      default:
        return [block.line];
    }
  });
}

export const page: Page = { name: "document", paths: ["/document"], key: "m", component: DocumentPage };
