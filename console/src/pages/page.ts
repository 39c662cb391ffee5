/**
 * A page of the console: one value in a folder of its own, and one line in `index.ts`. Its messages
 * are in `words/en/<page>.ts`, its style in its `style.css`. State that can be shared is in the
 * URL.
 */
import type { ComponentType } from "preact";
import type { shell } from "../words/en/shell.ts";
import type { Service } from "../shell/service.ts";

export interface PageProperties {
  /** The captures of its path: `resource` for `/data/:resource`. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Page {
  /** The key of its name in the shell's messages. */
  readonly name: keyof typeof shell;
  /** The first path is the navigation's target. */
  readonly paths: readonly [string, ...string[]];
  /** The letter that opens it after `g`. */
  readonly key: string;
  readonly component: ComponentType<PageProperties>;
  /** Whether the navigation lists it: the sandbox page exists only for sandboxes. */
  readonly isThere?: (service: Service) => boolean;
}
