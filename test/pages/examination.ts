/** An examination under way: what the subjects (site, generated documentation, console) work with. */
import type { Browser } from "playwright-core";
import type { Form, Window } from "./examine.ts";

export interface Examination {
  readonly browser: Browser;
  /** Whether the page with this name is examined. */
  includes(name: string): boolean;
  /** Examines the page that the window shows, and photographs it if the user wants pictures. */
  examine(window: Window, name: string, form: Form, isExpected?: (fault: string) => boolean): Promise<void>;
  /** Reports a fault that isn't one of a single form. */
  report(fault: string): void;
}
