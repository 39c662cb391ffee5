/** The play of a scenario in a story: its requests, each by the caller that stands for its own. */
import type { Admissions } from "../stories/admissions.ts";
import { anonymous, type Caller } from "../stories/callers.ts";
import { type Draft, draftOfExchange } from "../requests/draw-request.ts";
import type { PlayedStep } from "../stories/played-step.ts";
import {
  type ScenarioExchange,
  type ScenarioStory,
  templateFrom,
  textTemplate,
} from "../scenarios/scenario-stories.ts";
import { capturedBy, type StoryContext } from "../stories/story-context.ts";
import { MissingValue, type Template, valueFrom } from "../stories/story.ts";
import type { WalkedStep } from "./walked-step.ts";

/**
 * Plays the requests of a scenario and yields each step after it was played.
 * @param play plays a request; undefined if it can't be sent
 */
export async function* playScenario(
  story: ScenarioStory,
  context: StoryContext,
  admissions: Admissions,
  play: (exchange: ScenarioExchange, draft: Draft) => Promise<WalkedStep | undefined>,
): AsyncGenerator<WalkedStep> {
  const playing = new ScenarioPlay(story, context, admissions);
  for (const exchange of story.exchanges) {
    const draft = playing.draft(exchange);
    const walked = draft && (await play(exchange, draft));
    if (!walked) continue;
    playing.note(exchange, walked);
    yield walked;
  }
}

class ScenarioPlay {
  readonly #story: ScenarioStory;
  readonly #context: StoryContext;
  readonly #admissions: Admissions;
  readonly #captures = new Map<string, Template>();
  /** Callers of the story by the scenario's credentials. */
  readonly #callers = new Map<string, Caller>();

  constructor(story: ScenarioStory, context: StoryContext, admissions: Admissions) {
    this.#story = story;
    this.#context = context;
    this.#admissions = admissions;
  }

  /** The request of an exchange; undefined if the story has no record for its path. */
  draft(exchange: ScenarioExchange): Draft | undefined {
    const { endpoint } = exchange;
    const parameters = new Map<string, Template>();
    for (const [name, text] of exchange.parameters) {
      const template = this.#textOf(text);
      if (template !== undefined) parameters.set(name, template);
    }
    const examples = new Map<string, Template>();
    for (const [key, value] of exchange.inputs) {
      const template = templateFrom(value, this.#slotOf, this.#story.uniqueTexts);
      if (template !== undefined) examples.set(key, template);
    }
    return draftOfExchange(endpoint, this.#callerOf(exchange), this.#context, {
      parameters: parameters.size === exchange.parameters.size ? parameters : undefined,
      examples,
    });
  }

  /** Remembers what later requests of the scenario read from a response. */
  note(exchange: ScenarioExchange, { step, expected }: PlayedStep): void {
    if (!this.#context.areListsEqual) return;
    for (const [name, slot] of capturedBy(exchange, step, expected))
      if (!this.#captures.has(name)) this.#captures.set(name, slot);
  }

  readonly #slotOf = (name: string): Template | undefined =>
    this.#captures.get(name) ?? this.#context.captureOf(this.#story, name);

  #textOf(text: string): Template | undefined {
    return this.#story.uniqueTexts.has(text)
      ? templateFrom(text, this.#slotOf, this.#story.uniqueTexts)
      : textTemplate(text, this.#slotOf);
  }

  #callerOf({ endpoint, credentials }: ScenarioExchange): Caller {
    const key = JSON.stringify(credentials);
    if (credentials.headers.length + credentials.query.length === 0) return anonymous;
    const caller =
      this.#callers.get(key) ??
      this.#context.callers.find((candidate) => isOf(candidate, credentials)) ??
      this.#capturedCaller(credentials) ??
      this.#admissions.prefer(endpoint, this.#context);
    this.#callers.set(key, caller);
    return caller;
  }

  /** A caller whose credentials the scenario captured. */
  #capturedCaller({ headers, query }: ScenarioExchange["credentials"]): Caller | undefined {
    const isCaptured = [...headers, ...query].some(([, value]) => value.includes("{{"));
    const filled = (pairs: readonly (readonly [string, string])[]) =>
      pairs.map(([name, value]) => [name, textTemplate(value, this.#slotOf)] as const);
    const isFull = (
      pairs: readonly (readonly [string, Template | undefined])[],
    ): pairs is readonly (readonly [string, Template])[] => pairs.every(([, value]) => value !== undefined);
    const [own, ownQuery] = [filled(headers), filled(query)];
    return isCaptured && isFull(own) && isFull(ownQuery)
      ? { name: "caller of a scenario", scheme: this.#schemeOf(), headers: own, query: ownQuery }
      : undefined;
  }

  #schemeOf(): string | undefined {
    return this.#context.model.authentication.schemes[0]?.name;
  }
}

/** Whether a caller sends exactly these credentials. */
function isOf(caller: Caller, { headers, query }: ScenarioExchange["credentials"]): boolean {
  const isSame = (
    own: readonly (readonly [string, Template])[],
    stated: readonly (readonly [string, string])[],
  ) =>
    own.length === stated.length &&
    own.every(([name, value]) =>
      stated.some(
        ([other, text]) => other.toLowerCase() === name.toLowerCase() && plainText(value) === text.trim(),
      ),
    );
  return isSame(caller.headers, headers) && isSame(caller.query, query);
}

/** The text of a template without values of responses. */
function plainText(template: Template): string | undefined {
  try {
    const value = valueFrom(template, { run: "", responses: new Map(), nowMs: () => 0 });
    return typeof value === "string" ? value : undefined;
  } catch (error) {
    if (error instanceof MissingValue) return undefined;
    throw error;
  }
}
