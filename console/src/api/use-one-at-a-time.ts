/** For what must not be done twice by a double click: what is asked for while it is under way is dropped. */
import { useRef } from "preact/hooks";

export function useOneAtATime(): (work: () => Promise<void>) => Promise<void> {
  const isUnderWay = useRef(false);
  return async (work) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    try {
      await work();
    } finally {
      isUnderWay.current = false;
    }
  };
}
