/**
 * Messages between the page and its worker: the methods, each with its parameters and its answer.
 */
import type { CompletionItem, Diagnostic } from "vscode-languageserver";
import type { SentRequest, ReceivedResponse } from "../../src/verify/scenario-failure.ts";

export interface Analysed {
  readonly diagnostics: readonly Diagnostic[];
  /** The items that the document leaves open. */
  readonly gaps: readonly { readonly item: string; readonly line: number }[];
  readonly endpoints: readonly { readonly method: string; readonly target: string }[];
  readonly scenarios: readonly string[];
  /** A picture for each resource with states. */
  readonly pictures: readonly { readonly resource: string; readonly svg: string }[];
  readonly hasErrors: boolean;
}

export interface RanScenario {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** The differences, or why the scenario was skipped. */
  readonly reasons: readonly { readonly line?: number; readonly text: string }[];
}

export interface Methods {
  readonly analyse: { readonly params: { readonly text: string }; readonly answer: Analysed };
  readonly complete: {
    readonly params: { readonly text: string; readonly offset: number };
    readonly answer: readonly CompletionItem[];
  };
  /** Sends a request to the service of the text, which keeps its records until the text changes. */
  readonly send: {
    readonly params: { readonly text: string; readonly request: SentRequest };
    readonly answer: ReceivedResponse;
  };
  /** Moves the service's clock, and runs what has become due. */
  readonly wait: {
    readonly params: { readonly text: string; readonly milliseconds: number };
    readonly answer: null;
  };
  readonly runScenarios: {
    readonly params: { readonly text: string };
    readonly answer: readonly RanScenario[];
  };
}

export type Method = keyof Methods;

export interface Question {
  readonly id: number;
  readonly method: Method;
  readonly params: unknown;
}

export interface Answer {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
}
