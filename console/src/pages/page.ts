/**
 * A page of the console: one value in a folder of its own, and one line in `index.ts`. Its words are in `words/en/<page>.ts`, its look in its
 * `style.css`; what of it can be shared stands in the address.
 */
import type { ComponentType } from "preact";
import type { shell } from "../words/en/shell.ts";
import type { Service } from "../shell/service.ts";

export interface PageProperties {
  /** What its path captures: of `/data/:resource` a `resource`. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Page {
  /** The key of its name among the shell's words. */
  readonly name: keyof typeof shell;
  /** The first is where the navigation leads to. */
  readonly paths: readonly [string, ...string[]];
  /** The letter that leads to it behind `g`. */
  readonly key: string;
  readonly component: ComponentType<PageProperties>;
  /** Left out of the navigation where it says no: the sandbox's page of a service that is none. */
  readonly isThere?: (service: Service) => boolean;
}
