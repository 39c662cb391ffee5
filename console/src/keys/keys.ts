/**
 * Keyboard shortcuts that work on every page: `/`, `g` and a letter, `j`, `k`, `Enter`, `Escape`,
 * `?`. The user can turn them off, because single keys disturb voice control; the browser remembers
 * it. They are inactive while the user types.
 */
import { useLayoutEffect, useRef } from "preact/hooks";
import { preference } from "../api/preference.ts";

export const shortcutSetting = preference("keys", ["on", "off"]);

/** A page's handler of a key; undefined leaves the key to others. */
export interface KeyHandler {
  readonly key: string;
  run(event: KeyboardEvent): void;
}

const takers: KeyHandler[] = [];

/** How long `g` waits for its letter, in milliseconds. */
const chordMs = 1_500;
let chordUntil = 0;
let goTo: (letter: string) => boolean = () => false;

/** Sets the action of `g` and a letter. @param go returns whether the letter has a target */
export function setGoTo(go: (letter: string) => boolean): void {
  goTo = go;
}

/** Handles keys while the component is shown; the component that was shown last has precedence. */
export function useKeys(keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const last = useRef(keys);
  last.current = keys;
  const names = Object.keys(keys).join(" ");
  // The keys work as soon as a component is shown, and not a frame later.
  useLayoutEffect(() => {
    const own = names
      .split(" ")
      .map((key): KeyHandler => ({ key, run: (event) => last.current[key]?.(event) }));
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
    // Escape works everywhere, even while the user types; a dialog closes itself.
    const isOn = shortcutSetting.value === "on" && !isTyping(event.target);
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
    const taker = takers.findLast((handler) => handler.key === event.key);
    if (!taker) return;
    // A focused link or button handles Enter itself.
    if (event.key === "Enter" && (event.target as Element).closest("a, button, summary")) return;
    taker.run(event);
    event.preventDefault();
  });
}
