/**
 * Engine context: the dependencies of expression evaluation, such as the model, the store, the
 * ports, and the version of responses.
 */
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
  /** The author's handlers module; absent if none was loaded. */
  readonly handlers?: HandlerModule;
  /** Receives rule outcomes; present only in scenario runs that measure coverage. */
  readonly observer?: CoverageObserver;
  /** The older version whose names responses and inputs use; absent for the current version. */
  readonly view?: VersionView;
  /**
   * Write options for units of work that evaluate the document's expressions and call no handler.
   * If expressions may call functions of the author's module, such writes are not repeated. Those
   * functions may have external effects.
   */
  readonly writing: WriteOptions;
  /** Whether an observer receives each request and the line that decided its response. */
  readonly isObserved: boolean;
  /** Options for parsing the text and JSON of requests by their types. */
  readonly reading: FieldOptions;
}
