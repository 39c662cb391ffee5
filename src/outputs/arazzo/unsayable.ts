/**
 * What Arazzo can't express. It ends a workflow if later steps would depend on it, and is reported
 * with its line.
 */
export class Unsayable extends Error {
  override name = "Unsayable";
}
