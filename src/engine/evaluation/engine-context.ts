/** What expressions are asked with, whoever asks: the model, its words, the store, and in whose words answers are. */
import type { Meaning } from "../../expressions/scope.ts";
import type { FieldOptions } from "../../fields/field-reader.ts";
import type { Model } from "../../model/model.ts";
import type { Store, WireForm, WriteOptions } from "../../store/store.ts";
import type { HandlerModule } from "../handler-module.ts";
import type { Ports } from "../ports.ts";
import type { Tokens } from "../secrets/tokens.ts";
import type { VersionView } from "./view.ts";
import type { CoverageObserver } from "./coverage-observer.ts";

export interface EngineContext {
  readonly model: Model;
  readonly meaning: Meaning;
  readonly store: Store;
  readonly ports: Ports;
  readonly wire: WireForm;
  readonly tokens: Tokens;
  /** The author's own code beside the document; absent where none was loaded. */
  readonly handlers?: HandlerModule;
  /** Who is told what the document's rules do; absent but in runs of scenarios that measure it. */
  readonly observer?: CoverageObserver;
  /** The older version whose names answers and inputs have; absent for the current one. */
  readonly view?: VersionView;
  /**
   * How works are written that ask the document's expressions, and call no handler. Where these may call functions of the author's module,
   * nobody knows what those leave elsewhere: such works are not done again.
   */
  readonly writing: WriteOptions;
  /** Somebody is told of each request, and of what decided its answer. */
  readonly isObserved: boolean;
  /** How texts and JSON of requests are read by their types. */
  readonly reading: FieldOptions;
}
