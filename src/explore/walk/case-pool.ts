/** Case pool of a walk: all cases of a document, and how often each was sent. */
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Case } from "../requests/case.ts";
import { casesOf, sameKeyTwice, serviceCases } from "../requests/cases.ts";
import type { Draft } from "../requests/draw-request.ts";
import type { Draw } from "../stories/draw.ts";
import { Focus } from "./focus.ts";
import type { Literals } from "../stories/literals.ts";
import { reasonNotDrawn } from "../requests/not-drawn.ts";
import type { PlayedStep } from "../stories/played-step.ts";
import { earlyAspects, reachesRules } from "./reached.ts";
import { endpointName } from "./walked-step.ts";

/** How often a request is one for the resource of its story, in percent. */
const focusPercent = 50;
/** How often a request with a mistake has one that no rule of the document distinguishes, in percent. */
const generalPercent = 15;
/** How much a request counts for its case if it was rejected before the rules of its endpoint. */
const earlyVisit = 0.5;

type Records = ReadonlyMap<string, readonly RecordValue[]>;

export class CasePool {
  readonly all: readonly Case[];
  readonly valid: readonly Case[];
  readonly #succeeding: readonly Case[];
  /** Cases that a rule of the document distinguishes, and the others. */
  readonly #ofRules: readonly Case[];
  readonly #general: readonly Case[];
  readonly #draw: Draw;
  readonly #focus: Focus;
  readonly #visits = new Map<string, number>();

  constructor(model: Model, literals: Literals, draw: Draw) {
    const isDrawn = (endpoint: Endpoint) => reasonNotDrawn(endpoint, model) === undefined;
    this.all = [
      ...model.endpoints.filter(isDrawn).flatMap((endpoint) => casesOf(endpoint, model, literals)),
      ...serviceCases(model).filter(({ endpoint }) => isDrawn(endpoint)),
    ];
    this.valid = this.all.filter(({ name }) => name === "valid");
    this.#succeeding = this.all.filter(({ name }) => name === "valid" || name === sameKeyTwice);
    this.#ofRules = this.all.filter(({ name, isGeneral }) => name !== "valid" && !isGeneral);
    this.#general = this.all.filter(({ isGeneral }) => isGeneral);
    this.#draw = draw;
    this.#focus = new Focus(this.valid);
  }

  /** The number of cases, and of sent ones. */
  coverage(): { readonly all: number; readonly sent: number } {
    const sent = this.all.filter((candidate) => this.visitsOf(caseKey(candidate)) > 0).length;
    return { all: this.all.length, sent };
  }

  /** Cases of an endpoint whose first request has no mistake: the same one may follow with its key. */
  succeedingOf(wanted: Endpoint): readonly Case[] {
    return this.#succeeding.filter(({ endpoint }) => endpoint === wanted);
  }

  /** Another story has another resource. */
  startStory(): void {
    this.#focus.next();
  }

  /** A random case; undefined if the document has none. */
  drawOne(isValid: boolean): Case | undefined {
    const invalid = this.#draw.happens(generalPercent) ? this.#general : this.#ofRules;
    const all = isValid ? this.#succeeding : invalid;
    return this.#draw.oneOf(this.#draw.happens(focusPercent) ? this.#focus.casesOf(all) : all);
  }

  /** Notes that requests of a case were sent. */
  note(chosen: Case, played: readonly PlayedStep[]): void {
    const isReached = earlyAspects.has(chosen.aspect) || played.some(reachesRules);
    this.visit(caseKey(chosen), isReached ? 1 : earlyVisit);
  }

  /** Notes of which resources a request has made records. */
  noteMade(endpoint: Endpoint, before: Records, after: Records): void {
    this.#focus.note(endpoint, before, after);
  }

  /** How often a request like this was sent; the one sent least often comes next. */
  visitsOfDraft(chosen: Case, draft: Draft): number {
    if (chosen.name === "valid") return this.visitsOf(draftKey(chosen, draft)) / 3;
    return this.visitsOf(caseKey(chosen)) + (chosen.isGeneral ? 1 : 0);
  }

  /** The minimum of `visitsOfDraft`, whatever the request is. */
  visitsMin(chosen: Case): number {
    return chosen.name === "valid" ? 0 : this.visitsOf(caseKey(chosen)) + (chosen.isGeneral ? 1 : 0);
  }

  visitsOf(key: string): number {
    return this.#visits.get(key) ?? 0;
  }

  visit(key: string, weight = 1): void {
    this.#visits.set(key, this.visitsOf(key) + weight);
  }
}

/** A request of a case by its caller and the state of its record. */
export function draftKey(chosen: Case, { caller, state }: Draft): string {
  return `${caseKey(chosen)} ${caller.name} ${state ?? ""}`;
}

function caseKey({ endpoint, name }: Case): string {
  return `${endpointName(endpoint)} ${name}`;
}
