import type { ObjectValue, Value } from "./value.ts";

/** A value that is already written as JSON: the items of a page, which the store has shaped. Writers put it in as it stands. */
export class JsonText implements ObjectValue {
  readonly [part: string]: Value;
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}
