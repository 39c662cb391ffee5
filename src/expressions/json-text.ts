/**
 * JSON text as a value: the items of a page, which the store has serialized. Writers insert it
 * unchanged.
 */
import type { ObjectValue, Value } from "./value.ts";

export class JsonText implements ObjectValue {
  readonly [part: string]: Value;
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}
