import type { ObjectValue, Value } from "./value.ts";

/**
 * A value that is already JSON text: the items of a page, which the store has serialized. Writers
 * insert it unchanged.
 */
export class JsonText implements ObjectValue {
  readonly [part: string]: Value;
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}
