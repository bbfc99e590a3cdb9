/** Waits a while between two tries, on the timers of whoever runs this. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
