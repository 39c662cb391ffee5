/** A value that is already written as JSON: the items of a page, which the store has shaped. Writers put it in as it stands. */
export class JsonText {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}
