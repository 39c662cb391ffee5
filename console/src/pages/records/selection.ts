/** Selected rows of a list: kept while the user turns pages, dropped with another list. */
import { useEffect, useState } from "preact/hooks";

export interface Selection {
  readonly ids: ReadonlySet<string>;
  set(ids: readonly string[], isSelected: boolean): void;
  clear(): void;
}

/** @param list the list that the rows belong to; another list has no selected rows */
export function useSelection(list: string): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setIds(new Set()), [list]);
  return {
    ids,
    set: (some, isSelected) =>
      setIds((last) =>
        isSelected ? new Set([...last, ...some]) : new Set([...last].filter((id) => !some.includes(id))),
      ),
    clear: () => setIds(new Set()),
  };
}
