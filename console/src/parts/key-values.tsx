/** Names with their values, one below the other. */
import { Fragment, type ComponentChildren, type VNode } from "preact";

export type KeyValue = readonly [name: ComponentChildren, value: ComponentChildren];

export function KeyValues({ of }: { readonly of: readonly (KeyValue | false | undefined)[] }): VNode {
  return (
    <dl class="key-values">
      {of.map((pair, at) =>
        pair ? (
          <Fragment key={at}>
            <dt>{pair[0]}</dt>
            <dd>{pair[1]}</dd>
          </Fragment>
        ) : null,
      )}
    </dl>
  );
}
