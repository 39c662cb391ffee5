/**
 * A table whose rows are links: the first cell's link is the row's, and a click anywhere in the row
 * follows it. One row is in the tab order; `j`, `k` and the arrows move from row to row. Long
 * tables render only the visible rows, between two spacer rows. On a phone each row is a card
 * (`table.css`).
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys/keys.ts";
import { addressWith, navigate, parameter } from "../routing/address.ts";
import { t } from "../words/words.ts";
import { useWindow } from "./use-window.ts";

export interface Column<Row> {
  readonly name: string;
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** A CSS width; columns without one share the remaining space. */
  readonly width?: string;
  readonly align?: "end";
  /** Whether a long text wraps instead of being cut off. */
  readonly wraps?: boolean;
  /** The value of `?sort=`, with the prefix `-` for descending order. */
  readonly sort?: string;
  /** Whether sorting reads every row, because no index has its order. */
  readonly isSlowToSort?: boolean;
  /** Hidden in the cards of a phone: another column or the detail page shows it. */
  readonly isWideOnly?: boolean;
}

export interface TableProperties<Row> {
  /** The accessible name of the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly linkOf: (row: Row) => string;
  /** The key of the row whose detail is shown. */
  readonly selectedKey?: string | undefined;
  /** The total number of rows; absent if it is unknown and there are more pages. */
  readonly rowCount?: number;
  /**
   * Whether it is as wide as its cells and scrolls sideways; otherwise it is as wide as its
   * container.
   */
  readonly isWide?: boolean;
  /** CSS classes of a row: `is-new`. */
  readonly classOf?: (row: Row) => string;
  /** Present if rows can be selected, each with a check box. */
  readonly selection?: TableSelection | undefined;
}

interface TableSelection {
  readonly selected: ReadonlySet<string>;
  set(keys: readonly string[], isSelected: boolean): void;
}

export function Table<Row>(properties: TableProperties<Row>): VNode {
  const { label, columns, rows, keyOf, linkOf, selectedKey, isWide = false, classOf, selection } = properties;
  const body = useRef<HTMLTableSectionElement>(null);
  const [active, setActive] = useState<string>();
  const { first, end, rowHeight } = useWindow(body, rows.length);
  const selectedAt = selectedKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === selectedKey);
  const activeAt = active === undefined ? -1 : rows.findIndex((row) => keyOf(row) === active);
  const tabStop = activeAt >= 0 ? activeAt : selectedAt >= 0 ? selectedAt : 0;
  const pendingFocus = useRef<string | undefined>(undefined);

  const goTo = (at: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    if (row === undefined) return;
    const key = keyOf(row);
    setActive(key);
    pendingFocus.current = key;
    if (!focusRow(body.current, key)) scrollTo(body.current, rows.indexOf(row), rowHeight);
    // With an open detail, the next row's detail replaces it.
    if (selectedKey !== undefined) navigate(linkOf(row), { replaces: true });
  };
  // A row that was not rendered before is rendered now.
  useEffect(() => {
    if (pendingFocus.current !== undefined && focusRow(body.current, pendingFocus.current))
      pendingFocus.current = undefined;
  });
  const from = activeAt >= 0 ? activeAt : selectedAt;
  const toggle = () => {
    const key = active ?? selectedKey;
    if (key !== undefined) selection?.set([key], !selection.selected.has(key));
  };
  useKeys({
    j: () => goTo(from + 1),
    k: () => goTo(Math.max(0, from - 1)),
    ...(selection ? { x: toggle } : {}),
  });
  const steps: Readonly<Record<string, () => void>> = {
    ArrowDown: () => goTo(from + 1),
    ArrowUp: () => goTo(from - 1),
    Home: () => goTo(0),
    End: () => goTo(rows.length - 1),
    PageDown: () => goTo(from + 20),
    PageUp: () => goTo(from - 20),
  };
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (!step || !(event.target as Element).matches("a.row-link")) return;
    event.preventDefault();
    step();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links inside.
    <div class={`table ${isWide ? "is-wide" : ""}`} onKeyDown={move}>
      <table aria-label={label} aria-rowcount={(properties.rowCount ?? rows.length) + 1}>
        <colgroup>
          {selection && <col class="select" />}
          {columns.map(({ name, width }) => (
            <col key={name} {...(width === undefined ? {} : { style: { width } })} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {selection && <SelectAll keys={rows.map(keyOf)} selection={selection} />}
            {columns.map((column) => (
              <Head key={column.name} column={column} />
            ))}
          </tr>
        </thead>
        <tbody ref={body} class={end - first < rows.length ? "windowed" : ""}>
          {first > 0 && <Space height={first * rowHeight} />}
          {rows.slice(first, end).map((row, offset) => (
            <Row
              key={keyOf(row)}
              row={row}
              at={first + offset}
              name={keyOf(row)}
              columns={columns}
              link={linkOf(row)}
              isCurrent={first + offset === selectedAt}
              isTabStop={first + offset === tabStop}
              className={classOf?.(row) ?? ""}
              selection={selection}
              onFocus={() => setActive(keyOf(row))}
            />
          ))}
          {end < rows.length && <Space height={(rows.length - end) * rowHeight} />}
        </tbody>
      </table>
    </div>
  );
}

function Head<Row>({ column }: { readonly column: Column<Row> }): VNode {
  const { head, align, sort, isSlowToSort = false } = column;
  if (sort === undefined) return <th class={align ?? ""}>{head}</th>;
  const sortParameter = parameter("sort");
  const isUp = sortParameter === sort;
  const isDown = sortParameter === `-${sort}`;
  const next = isUp ? `-${sort}` : isDown ? undefined : sort;
  return (
    <th class={align ?? ""} aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}>
      <a
        class={isSlowToSort ? "sort is-slow" : "sort"}
        href={addressWith({ sort: next, cursor: undefined })}
        title={t(isSlowToSort ? "parts.sortWithoutIndex" : "parts.sortByIndex")}
      >
        {head}
        <span aria-hidden="true">{isUp ? " ↑" : isDown ? " ↓" : ""}</span>
        {(isUp || isDown) && (
          <span class="hidden-words">{t(isUp ? "parts.sortedUp" : "parts.sortedDown")}</span>
        )}
      </a>
    </th>
  );
}

interface RowProperties<Row> {
  readonly row: Row;
  readonly at: number;
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly link: string;
  readonly isCurrent: boolean;
  readonly isTabStop: boolean;
  readonly className: string;
  readonly onFocus: () => void;
  readonly selection: TableSelection | undefined;
}

function Row<Row>({
  row,
  at,
  name,
  columns,
  link,
  isCurrent,
  isTabStop,
  className,
  onFocus,
  selection,
}: RowProperties<Row>) {
  const follow = (event: MouseEvent) => {
    if ((event.target as Element).closest("a, button, input, label")) return;
    // A user who selects text to copy it doesn't want to navigate.
    if (getSelection()?.type === "Range") return;
    if (event.metaKey || event.ctrlKey) open(link, "_blank", "noreferrer");
    else navigate(link);
  };
  return (
    <tr
      class={`${className} ${isCurrent ? "is-chosen" : ""}`}
      aria-rowindex={at + 2}
      data-key={name}
      onClick={follow}
    >
      {selection && (
        <td class="select">
          <input
            type="checkbox"
            aria-label={t("parts.select", { name })}
            checked={selection.selected.has(name)}
            onChange={(event) => selection.set([name], event.currentTarget.checked)}
          />
        </td>
      )}
      {columns.map((column, cell) => (
        <td
          key={column.name}
          class={`${column.align ?? ""} ${column.isWideOnly ? "wide-only" : ""} ${column.wraps ? "wraps" : ""}`}
          data-head={column.head}
        >
          {cell === 0 ? (
            <a
              class="row-link"
              href={link}
              tabIndex={isTabStop ? 0 : -1}
              aria-current={isCurrent ? "true" : undefined}
              onFocus={onFocus}
            >
              {column.cell(row)}
            </a>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

function SelectAll({
  keys,
  selection: { selected, set },
}: {
  readonly keys: readonly string[];
  readonly selection: TableSelection;
}): VNode {
  const count = keys.filter((key) => selected.has(key)).length;
  return (
    <th class="select">
      <input
        type="checkbox"
        aria-label={t("parts.selectAll")}
        checked={count > 0 && count === keys.length}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && count < keys.length;
        }}
        onChange={(event) => set(keys, event.currentTarget.checked)}
      />
    </th>
  );
}

/** A spacer with the height of the rows that aren't rendered. */
function Space({ height }: { readonly height: number }): VNode {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus.
    <tr class="space" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );
}

/** Returns whether the row is rendered. */
function focusRow(body: HTMLElement | null, key: string): boolean {
  const link = body?.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(key)}"] a.row-link`);
  link?.focus({ preventScroll: true });
  link?.closest("tr")?.scrollIntoView({ block: "nearest" });
  return link != null;
}

/** Scrolls to the position of a row that isn't rendered, so that it will be. */
function scrollTo(body: HTMLElement | null, at: number, rowHeight: number): void {
  const scroller = body?.closest(".scrolls") ?? document.scrollingElement;
  if (!body || !scroller) return;
  const top = body.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  scroller.scrollBy({ top: top + at * rowHeight - scroller.clientHeight / 2 });
}
