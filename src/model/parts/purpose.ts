/** Part 1 in the model: scenarios. */
import type { Expression } from "../../expressions/node.ts";
import type { Position } from "../../source/source.ts";

export interface Scenario {
  readonly name: string;
  readonly position: Position;
  readonly steps: readonly ScenarioStep[];
}

export type ScenarioStep =
  | {
      readonly kind: "given";
      readonly resource: string;
      /** Each value is an expression without `this`. Names of earlier `as` are `named` in it. */
      readonly fields: readonly { readonly field: string; readonly value: Expression }[];
      readonly as?: string;
      readonly position: Position;
    }
  | { readonly kind: "wait"; readonly milliseconds: number; readonly position: Position }
  | { readonly kind: "event"; readonly event: string; readonly payload?: TextAt; readonly position: Position }
  | {
      readonly kind: "exchange";
      readonly request: HttpRequestText;
      readonly response: HttpResponseText;
      readonly position: Position;
    };

/** A text of the document with its position. It still contains its captures (`{{…}}`). */
export interface TextAt {
  readonly text: string;
  readonly position: Position;
}

export interface HttpRequestText {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly HeaderText[];
  readonly body?: TextAt;
  readonly position: Position;
}

export interface HttpResponseText {
  readonly status: number;
  readonly headers: readonly HeaderText[];
  readonly body?: TextAt;
  readonly position: Position;
}

export interface HeaderText {
  readonly name: string;
  readonly value: string;
  readonly position: Position;
}
