/** Admissions: which callers an endpoint has admitted, so that most requests come from them. */
import { Problem } from "../../engine/problem.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { anonymous, type Caller, callerOfResponse, mayCall, wrongCallers } from "./callers.ts";
import type { Draw } from "./draw.ts";
import type { PlayedStep } from "./played-step.ts";
import type { StoryContext } from "./story-context.ts";

/** How often the caller has no credentials or wrong ones, in percent. */
const wrongPercent = 20;
/** After how many rejections a caller of a response is doubtful, and how often it is still drawn. */
const rejectionsMax = 3;
const doubtfulPercent = 10;
/** How often an admitted caller is preferred, in percent. */
const admittedPercent = 90;

/** How often a request is one of the story's main caller, so that its records are many, in percent. */
const mainPercent = 60;

/** Conditions that are checked after access. */
const lateConditions: ReadonlySet<string> = new Set(["guard failed", "illegal transition"]);

export class Admissions {
  readonly #model: Model;
  readonly #draw: Draw;
  /** Names of admitted callers, by endpoint. */
  readonly #callers = new Map<Endpoint, Set<string>>();
  /** How often callers were rejected because of their credentials, until one was accepted. */
  readonly #rejections = new Map<string, number>();

  constructor(model: Model, draw: Draw) {
    this.#model = model;
    this.#draw = draw;
  }

  note(endpoint: Endpoint, { expected, stopped, step }: PlayedStep): void {
    const condition = stopped instanceof Problem ? stopped.details[0].condition : undefined;
    if (condition === "bad credential")
      this.#rejections.set(step.caller, (this.#rejections.get(step.caller) ?? 0) + 1);
    if (expected.status >= 400 && !lateConditions.has(condition ?? "")) return;
    // A stream that is over shows no event, so another caller may get more.
    if (endpoint.stream && expected.status === 204) return;
    this.#rejections.set(step.caller, Number.NEGATIVE_INFINITY);
    const known = this.#callers.get(endpoint) ?? new Set();
    known.add(step.caller);
    this.#callers.set(endpoint, known);
  }

  /** Whether the endpoint has admitted one of these callers, or anyone. */
  hasAny(endpoint: Endpoint, callers: readonly Caller[]): boolean {
    const known = this.#callers.get(endpoint);
    return known?.has(anonymous.name) === true || callers.some(({ name }) => known?.has(name));
  }

  /** Any caller of the story that may call the endpoint; sometimes one with wrong credentials. */
  anyCaller(endpoint: Endpoint, context: StoryContext): Caller {
    const { callers } = context;
    const { authentication } = this.#model;
    const isWrong = this.#draw.happens(wrongPercent);
    const wrongAndAnonymous = isWrong ? [anonymous, ...wrongCallers(authentication)] : [];
    const isTried = !this.#draw.happens(doubtfulPercent);
    const able = callers.filter(
      (caller) => mayCall(endpoint, caller) && !(isTried && this.#isDoubtful(caller)),
    );
    const all = [...able, ...wrongAndAnonymous];
    const own = able.find(({ name }) => name === context.mainCaller?.name);
    if (own && !isWrong && this.#draw.happens(mainPercent)) return own;
    return this.#draw.oneOf(all) ?? anonymous;
  }

  /** Whether a text of a response was taken for a credential, and never accepted. */
  #isDoubtful({ name }: Caller): boolean {
    return name.startsWith(callerOfResponse) && (this.#rejections.get(name) ?? 0) >= rejectionsMax;
  }

  /** Prefers a caller that the endpoint admitted before. */
  prefer(endpoint: Endpoint, context: StoryContext): Caller {
    const known = this.#callers.get(endpoint);
    const admitted = context.callers.filter(({ name }) => known?.has(name));
    const own = admitted.find(({ name }) => name === context.mainCaller?.name);
    if (own && this.#draw.happens(mainPercent)) return own;
    if (admitted.length === 0 && known?.has(anonymous.name)) return anonymous;
    const caller = this.#draw.happens(admittedPercent) ? this.#draw.oneOf(admitted) : undefined;
    return caller ?? this.anyCaller(endpoint, context);
  }
}
