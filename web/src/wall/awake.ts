/** keepAwake keeps the screen from going dark while the wall display is seen, where the browser can. It gives the end. */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined,
    over = false;
  const take = async (): Promise<void> => {
    if (document.hidden || over || !("wakeLock" in navigator)) return; // pages over plain HTTP have none
    const taken = await navigator.wakeLock.request("screen").catch(() => undefined);
    if (over) return void taken?.release();
    lock = taken;
  };
  const again = (): void => void take(); // the browser lets go when the page is hidden
  document.addEventListener("visibilitychange", again);
  void take();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", again);
    void lock?.release();
  };
}
