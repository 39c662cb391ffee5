/** What Arazzo has no words for. It ends a workflow where later steps would stand on it, and is told with its line. */
export class Unsayable extends Error {
  override name = "Unsayable";
}
