/**
 * Given records of an exploration: those of the document's scenarios, and drawn ones. Each scheme
 * gets at least two callers, and each resource at least two records.
 */
import { createLocalTarget, type LocalTarget, scenariosStartMs } from "../../scenarios/local-target.ts";
import { type FieldRule, hasRule, isServiceSet } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import { readGivenItems } from "../../model/reading/read-given.ts";
import type { Field, Model, Resource } from "../../model/model.ts";
import type { HandlerModule } from "../../engine/handler-module.ts";
import { createDraw, type Draw } from "../stories/draw.ts";
import type { GivenStep } from "../comparison/implementation.ts";
import type { Literals } from "../stories/literals.ts";
import { valueFrom } from "../stories/story.ts";
import { validValue } from "./values.ts";

/** The records of all scenarios. Of records with equal credentials, only the first is used. */
export function givenOfScenarios({ scenarios, authentication }: Model): readonly GivenStep[] {
  const secret = new Set(authentication.schemes.flatMap(({ credentials }) => credentials?.by ?? []));
  const seen = new Set<string>();
  return scenarios
    .flatMap(({ steps }) => steps.filter((step) => step.kind === "given"))
    .filter(({ resource, fields, as }) => {
      const credentials = fields.filter(({ field }) => secret.has(field));
      const known = credentials.length > 0 ? credentials : fields;
      const texts = known.map(({ field, value }) => `${field} = ${value.text}`).join(", ");
      const key = `${resource} ${texts} ${credentials.length > 0 ? "" : (as ?? "")}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

/** A step as a `Given` item. */
export function givenText({ resource, fields, as }: GivenStep): string {
  const values = fields.map(({ field, value }) => `${field} = ${value.text}`).join(", ");
  return [
    resource,
    ...(values === "" ? [] : [`with ${values}`]),
    ...(as === undefined ? [] : [`as ${as}`]),
  ].join(" ");
}

export interface RecordsOptions {
  readonly model: Model;
  readonly handlers: HandlerModule | undefined;
  readonly literals: Literals;
  readonly seed: number;
}

/** Rules by which the service sets the value. */
const valueRules = ["computed", "on create", "on update"] as const;

/** The maximum number of tries to draw one record that the document's rules accept. */
const drawsMax = 6;

/** Draws records, each of which the rules accept together with those before it. */
export class DrawnRecords {
  readonly #options: RecordsOptions;
  readonly #draw: Draw;
  readonly #target: LocalTarget;
  readonly #steps: GivenStep[] = [];
  #count = 0;

  private constructor(options: RecordsOptions, target: LocalTarget) {
    this.#options = options;
    this.#draw = createDraw(options.seed);
    this.#target = target;
  }

  static async open(options: RecordsOptions): Promise<DrawnRecords> {
    const { model, handlers } = options;
    return new DrawnRecords(options, await createLocalTarget(model, { printError() {} }, handlers));
  }

  close(): Promise<void> {
    return this.#target.close();
  }

  /**
   * Returns the steps that the document's rules accept, each with a name, and drawn records up to
   * `each` for each resource.
   */
  async complete(given: readonly GivenStep[], each: number): Promise<readonly GivenStep[]> {
    for (const step of named(given)) if (await this.#isAccepted(step)) this.#steps.push(step);
    for (const resource of byReferences(this.#options.model)) {
      const there = this.#steps.filter((step) => step.resource === resource.name).length;
      const most = Math.min(each, identitiesOf(resource) - 1);
      for (let made = there + resource.records.length; made < most; made += 1)
        if (!(await this.#drawAnother(resource))) break;
    }
    return [...this.#steps];
  }

  /**
   * Draws one more record. Undefined if the document's rules reject every try.
   * @param referred the records that it may refer to
   */
  async extra(
    resource: Resource,
    referred: readonly GivenStep[] = this.#steps,
  ): Promise<GivenStep | undefined> {
    for (let tries = 0; tries < drawsMax; tries += 1) {
      const step = this.#read(this.#text(resource, referred));
      if (step && (await this.#isAccepted(step))) return step;
    }
    return undefined;
  }

  async #drawAnother(resource: Resource): Promise<boolean> {
    const step = await this.extra(resource);
    if (step) this.#steps.push(step);
    return step !== undefined;
  }

  #read(text: string): GivenStep | undefined {
    const known = new Map(
      this.#steps.flatMap(({ as, resource }) => (as === undefined ? [] : [[as, resource]])),
    );
    const read = readGivenItems(this.#options.model, "drawn records", `- Given: \`${text}\`\n`, known);
    return read.diagnostics.some(({ severity }) => severity === "error") ? undefined : read.steps[0];
  }

  async #isAccepted(step: GivenStep): Promise<boolean> {
    try {
      await this.#target.given(step);
      return true;
    } catch {
      // A rule of the document rejects the record, or a value that the service computes for it.
      return false;
    }
  }

  #text(resource: Resource, steps: readonly GivenStep[]): string {
    this.#count += 1;
    const name = `${resource.variableName}${this.#count}`;
    const values = resource.fields.flatMap((field) => {
      const text = this.#fieldText(field, resource, steps);
      return text === undefined ? [] : [`${field.name} = ${text}`];
    });
    return `${resource.name}${values.length > 0 ? ` with ${values.join(", ")}` : ""} as ${name}`;
  }

  #fieldText(field: Field, resource: Resource, steps: readonly GivenStep[]): string | undefined {
    const { name, role, rules, type, gap } = field;
    // Requests set who made a record. A path may name it by this one.
    const isMaker = type.kind === "reference" && hasRule(rules, "on create");
    // A caller needs a known credential, even if the service makes those of new records.
    const isKnown = isMaker || this.#isCredential(resource, name);
    const isComputed = !isKnown && valueRules.some((rule) => hasRule(rules, rule));
    if (gap || role === "state" || isComputed) return undefined;
    if (role === "identifier" && resource.identifier.kind === "made") return undefined;
    const isNeeded =
      isMaker ||
      role === "identifier" ||
      hasRule(rules, "required") ||
      isSecret(type) ||
      this.#isCredential(resource, name);
    if (type.kind === "reference") {
      const namedSteps = steps.filter((step) => step.resource === type.resource && step.as !== undefined);
      if (namedSteps.length === 0 || !(isNeeded || this.#draw.happens(70))) return undefined;
      return this.#draw.oneOf(namedSteps)?.as;
    }
    if (!isNeeded && (isServiceSet(rules) || !this.#draw.happens(60))) return undefined;
    if (isSecret(type)) return JSON.stringify(`${type.kind}-of-${resource.variableName}-${this.#count}`);
    return this.#valueText(name, type, rules);
  }

  #isCredential({ name }: Resource, field: string): boolean {
    return this.#options.model.authentication.schemes.some(
      ({ credentials }) => credentials?.resource === name && credentials.by.includes(field),
    );
  }

  #valueText(name: string, type: FieldType, rules: readonly FieldRule[]): string | undefined {
    const { model, literals } = this.#options;
    const value = validValue(name, type, rules, {
      model,
      literals,
      draw: this.#draw,
      reference: () => undefined,
      shownText: () => undefined,
    });
    if (value === undefined) return undefined;
    const bindings = { run: `r${this.#count}`, responses: new Map(), nowMs: () => scenariosStartMs };
    return JSON.stringify(valueFrom(value, bindings));
  }
}

/** How many identifiers a resource can have. One is left without a record, so that requests miss it. */
function identitiesOf({ identifier, fields }: Resource): number {
  const own = identifier.kind === "given" ? fields.filter(({ role }) => role === "identifier") : [];
  const [type] = own.map((field) => field.type);
  return own.length === 1 && type?.kind === "enum" ? type.values.length : Number.POSITIVE_INFINITY;
}

function isSecret({ kind }: FieldType): boolean {
  return kind === "credential" || kind === "password";
}

/** Gives each step a name, so that others can refer to its record. */
function named(steps: readonly GivenStep[]): readonly GivenStep[] {
  const names = new Set<string>();
  return steps.map((step, at) => {
    const wanted = step.as !== undefined && !names.has(step.as) ? step.as : `given${at + 1}`;
    names.add(step.as ?? wanted);
    return step.as === undefined ? { ...step, as: wanted } : step;
  });
}

/** Resources with records of their own; referenced ones come first. */
function byReferences({ resources }: Model): readonly Resource[] {
  const sorted: Resource[] = [];
  const open = new Set<Resource>();
  const visit = (resource: Resource): void => {
    if (open.has(resource)) return;
    open.add(resource);
    for (const { type } of resource.fields) {
      if (type.kind !== "reference") continue;
      const target = resources.find(({ name }) => name === type.resource);
      if (target) visit(target);
    }
    sorted.push(resource);
  };
  for (const resource of resources) visit(resource);
  return sorted.filter(
    ({ identifier, gap }) => identifier.kind !== "none" && identifier.kind !== "not shown" && !gap,
  );
}
