/**
 * Shared initial records: `### Given: a desk with two shops`. Scenarios use them by name, `- Given:
 * a desk with two shops`, and so may another such heading. Their mistakes are reported once, at the
 * heading.
 */
import { type Phrase, positionIn, slice, trim, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import { nearest } from "../../../support/nearest.ts";
import type { ItemNode, Section } from "../../../syntax/nodes.ts";
import { keyText } from "../../../syntax/read.ts";
import type { ScenarioStep } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { buildGiven, type GivenNames, givenNames } from "./given.ts";

/** State of a scenario so far. */
export interface GivenProgress {
  readonly steps: ScenarioStep[];
  readonly givenNames: GivenNames;
  readonly names: Set<string>;
}

interface SharedGiven {
  readonly name: string;
  readonly position: Position;
  readonly items: readonly ItemNode[];
}

/** The name after `Given:`. Undefined for any other heading. */
export function givenName(heading: Phrase): Phrase | undefined {
  const match = /^given\s*(:|$)/i.exec(heading.text);
  return match ? trim(slice(heading, match[0].length)) : undefined;
}

export class SharedGivens {
  readonly #context: BuildContext;
  readonly #byName = new Map<string, SharedGiven>();
  readonly #used = new Set<SharedGiven>();

  /** Declares these headings among the sections, and reports their mistakes. */
  constructor(context: BuildContext, sections: readonly Section[]) {
    this.#context = context;
    for (const section of sections) this.#declare(section);
    for (const shared of this.#byName.values()) this.#check(shared);
  }

  get names(): readonly string[] {
    return [...this.#byName.values()].map(({ name }) => name);
  }

  /**
   * Adds the records of a heading to the scenario, if the item names one.
   * @returns whether it does
   */
  take(item: ItemNode, progress: GivenProgress): boolean {
    const shared = this.#find(item);
    if (shared) this.#use(shared, item, progress, []);
    return shared !== undefined;
  }

  /** Called after the last scenario. */
  reportUnused(): void {
    for (const shared of this.#byName.values())
      if (!this.#used.has(shared))
        this.#context.reporter.report("purpose/unused-given", shared.position, { name: shared.name });
  }

  #declare(section: Section): void {
    const { reporter, declarations } = this.#context;
    const name = givenName(section.heading);
    if (!name) return;
    const position = positionIn(name.text === "" ? section.heading : name);
    const items: ItemNode[] = [];
    for (const block of section.body) {
      if (block.kind === "item" && keyText(block.key) === "given") items.push(block);
      else if (block.kind === "item")
        reporter.report("purpose/unknown-key", positionIn(block.key), {
          key: block.key.text,
          nearest: nearest(block.key.text, ["Given"]),
          known: ["Given"],
        });
      else if (block.kind === "fence" && block.language === "http")
        reporter.report("purpose/outside-scenario", block.position, { what: "`http` block" });
      else if (block.kind !== "prose")
        reporter.report("purpose/not-run", block.position, {
          what: block.kind === "table" ? "table" : "block",
        });
    }
    if (name.text === "") reporter.report("purpose/unnamed-given", position, {});
    else if (declarations.resources.has(name.text))
      reporter.report("purpose/name-taken", position, { name: name.text, by: "a resource" });
    else if (this.#byName.has(keyOf(name.text)))
      reporter.report("purpose/duplicate-given", position, { name: name.text });
    else this.#byName.set(keyOf(name.text), { name: name.text, position, items });
  }

  /** Read like a separate scenario, so that each mistake is reported at the heading, even if it is unused. */
  #check(shared: SharedGiven): void {
    const progress: GivenProgress = {
      steps: [],
      givenNames: givenNames(this.#context),
      names: new Set(),
    };
    for (const item of shared.items) {
      const used = this.#find(item);
      if (!used) addGiven(this.#context, item, progress, this.names);
      else if (this.#leadsTo(used, shared, new Set()))
        this.#context.reporter.report("purpose/given-circle", item.position, { name: shared.name });
      else this.#use(used, item, progress, []);
    }
  }

  #leadsTo(from: SharedGiven, to: SharedGiven, visited: Set<SharedGiven>): boolean {
    if (from === to) return true;
    if (visited.has(from)) return false;
    visited.add(from);
    return from.items.some((item) => {
      const used = this.#find(item);
      return used !== undefined && this.#leadsTo(used, to, visited);
    });
  }

  #use(shared: SharedGiven, at: ItemNode, progress: GivenProgress, around: readonly SharedGiven[]): void {
    if (around.includes(shared)) return;
    this.#used.add(shared);
    const { reporter } = this.#context;
    for (const item of shared.items) {
      const used = this.#find(item);
      if (used) {
        this.#use(used, at, progress, [...around, shared]);
        continue;
      }
      const before = new Set(progress.names);
      const { value: as } = reporter.silently(() => addGiven(this.#context, item, progress));
      if (as !== undefined && before.has(as))
        reporter.report("purpose/name-taken", positionIn(at.value), {
          name: as,
          by: "the name of a record or capture above",
        });
    }
  }

  #find(item: ItemNode): SharedGiven | undefined {
    return this.#byName.get(keyOf(unquote(item.value).text));
  }
}

/**
 * Adds a record.
 * @returns its name
 */
export function addGiven(
  context: BuildContext,
  item: ItemNode,
  progress: GivenProgress,
  shared: readonly string[] = [],
): string | undefined {
  const given = buildGiven(context, item, progress.givenNames, progress.names, shared);
  if (given?.step) progress.steps.push(given.step);
  if (given?.as !== undefined) progress.names.add(given.as);
  return given?.as;
}

/** Names are compared without case, and with any spaces. */
function keyOf(name: string): string {
  return name.trim().toLowerCase().replaceAll(/\s+/g, " ");
}
