/**
 * Keyboard shortcuts that work on every page: `/`, `g` and a letter, `j`, `k`, `Enter`, `Escape`, `?`. They can be
 * turned off, and the browser remembers it: single keys disturb voice control. They are inactive while the user
 * types.
 */
import { useLayoutEffect, useRef } from "preact/hooks";
import { kept } from "../api/kept.ts";

export const keysAre = kept("keys", ["on", "off"]);

/** What a page does at a key; undefined leaves the key to others. */
export interface KeyTaker {
  readonly key: string;
  run(event: KeyboardEvent): void;
}

const takers: KeyTaker[] = [];

/** How long a `g` waits for its letter, in milliseconds. */
const chordMs = 1_500;
let chordUntil = 0;
let goTo: (letter: string) => boolean = () => false;

/** Sets what `g` and a key do. @param go returns whether the key has a target */
export function setGoTo(go: (letter: string) => boolean): void {
  goTo = go;
}

/** Handles keys while the component is shown; the component that was shown last has precedence. */
export function useKeys(keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const last = useRef(keys);
  last.current = keys;
  const names = Object.keys(keys).join(" ");
  // As soon as something is shown its keys work, and not a frame later.
  useLayoutEffect(() => {
    const own = names
      .split(" ")
      .map((key): KeyTaker => ({ key, run: (event) => last.current[key]?.(event) }));
    takers.push(...own);
    return () => {
      for (const taker of own) takers.splice(takers.indexOf(taker), 1);
    };
  }, [names]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function listenForKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    // Escape is everybody's, also of those who type; a dialog closes itself.
    const isOn = keysAre.value === "on" && !isTyping(event.target);
    if (document.querySelector("dialog:modal") || !(isOn || event.key === "Escape")) return;
    if (event.timeStamp < chordUntil) {
      chordUntil = 0;
      if (goTo(event.key)) event.preventDefault();
      return;
    }
    if (event.key === "g") {
      chordUntil = event.timeStamp + chordMs;
      return;
    }
    const taker = takers.findLast((one) => one.key === event.key);
    if (!taker) return;
    // A link or a button in focus has its own Enter.
    if (event.key === "Enter" && (event.target as Element).closest("a, button, summary")) return;
    taker.run(event);
    event.preventDefault();
  });
}
