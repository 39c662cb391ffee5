/** Virtual scrolling: the visible range of rows of equal height. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

/** The number of rows that are rendered before the visible range is known. */
const rowsDrawnMin = 120;
/** Rendered above and below the visible rows, so that fast scrolling shows no gap. */
const rowsBeyond = 20;
/** The row height before the first measurement, in pixels. */
const rowHeightGuess = 32;

export interface Window {
  readonly first: number;
  /** The index after the last row. */
  readonly end: number;
  readonly rowHeight: number;
}

export function useWindow(body: RefObject<HTMLElement | null>, count: number): Window {
  const [state, setState] = useState<Window>({ first: 0, end: rowsDrawnMin, rowHeight: rowHeightGuess });
  const isShort = count <= rowsDrawnMin;

  const look = () => {
    const element = body.current;
    if (!element || isShort) return;
    const row = element.querySelector<HTMLElement>("tr[data-key]");
    const rowHeight = row?.getBoundingClientRect().height || state.rowHeight;
    const { top } = element.getBoundingClientRect();
    const first = Math.max(0, Math.floor(-top / rowHeight) - rowsBeyond);
    const inSight = Math.ceil(innerHeight / rowHeight) + 2 * rowsBeyond;
    const end = Math.min(count, Math.max(first, 0) + inSight);
    setState((last) =>
      last.first === first && last.end === end && last.rowHeight === rowHeight
        ? last
        : { first: Math.min(first, Math.max(0, count - inSight)), end, rowHeight },
    );
  };
  useLayoutEffect(look, [count]);
  useEffect(() => {
    if (isShort) return;
    let frame = 0;
    const scheduleUpdate = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    // Handles scrolling of the page or of a part of it.
    addEventListener("scroll", scheduleUpdate, { capture: true, passive: true });
    addEventListener("resize", scheduleUpdate);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", scheduleUpdate, { capture: true });
      removeEventListener("resize", scheduleUpdate);
    };
  }, [isShort, count]);
  return isShort
    ? { first: 0, end: count, rowHeight: state.rowHeight }
    : { ...state, end: Math.min(count, state.end) };
}
