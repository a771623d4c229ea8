// Labels returns places to labels so that no two overlap: a coarse grid of taken cells would waste room, so it keeps the boxes
// themselves in buckets of a grid and compares only neighbours. It is filled anew each frame and reuses its arrays.
export class Labels {
  /** left, top, right, bottom of each box taken in this frame. */
  boxes = new Float32Array(4 * 512);
  count = 0;
  private width = 0;
  private height = 0;
  private columns = 1;
  private rows = 1;
  private buckets: number[][] = [];

  constructor(private readonly cell = 96) {}

  /** begin forgets all boxes and takes the size of the canvas in pixels. */
  begin(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.columns = Math.max(1, Math.ceil(width / this.cell));
    this.rows = Math.max(1, Math.ceil(height / this.cell));
    while (this.buckets.length < this.columns * this.rows) this.buckets.push([]);
    for (const bucket of this.buckets) bucket.length = 0;
    this.count = 0;
  }

  /** place takes the box if it touches no other and tells whether it did; the boxes before the one of number from do not
   * count. A box beyond the edge is refused. */
  place(left: number, top: number, right: number, bottom: number, from = 0): boolean {
    if (left < 0 || top < 0 || right > this.width || bottom > this.height) return false;
    const c0 = Math.floor(left / this.cell),
      c1 = Math.floor(right / this.cell);
    const r0 = Math.floor(top / this.cell),
      r1 = Math.floor(bottom / this.cell);
    for (let r = r0; r <= r1; r++) {
      for (let c = c0; c <= c1; c++) {
        for (const i of this.buckets[r * this.columns + c]) {
          if (i >= from * 4 && left < this.boxes[i + 2] && right > this.boxes[i] && top < this.boxes[i + 3] && bottom > this.boxes[i + 1])
            return false;
        }
      }
    }
    this.keep(left, top, right, bottom, c0, c1, r0, r1);
    return true;
  }

  /** beside places a label of a width on either side of a place, so far off, and gives its left edge. It lies upon no other box where it can,
   * else upon those before first alone, or nowhere. */
  beside(x: number, y: number, off: number, width: number, half: number, first: number): number | undefined {
    for (const from of [0, first])
      for (const left of [x + off, x - off - width]) if (this.place(left - 2, y - half, left + width + 2, y + half, from)) return left;
    return undefined;
  }

  /** reserve takes a box whatever it touches, so that no label is placed upon it. Beyond the edge it is forgotten. */
  reserve(left: number, top: number, right: number, bottom: number): void {
    const c0 = Math.max(0, Math.floor(left / this.cell)),
      c1 = Math.min(this.columns - 1, Math.floor(right / this.cell));
    const r0 = Math.max(0, Math.floor(top / this.cell)),
      r1 = Math.min(this.rows - 1, Math.floor(bottom / this.cell));
    if (c0 <= c1 && r0 <= r1) this.keep(left, top, right, bottom, c0, c1, r0, r1);
  }

  private keep(left: number, top: number, right: number, bottom: number, c0: number, c1: number, r0: number, r1: number): void {
    const i = this.count * 4;
    if (i === this.boxes.length) {
      const larger = new Float32Array(this.boxes.length * 2);
      larger.set(this.boxes);
      this.boxes = larger;
    }
    this.boxes[i] = left;
    this.boxes[i + 1] = top;
    this.boxes[i + 2] = right;
    this.boxes[i + 3] = bottom;
    this.count++;
    for (let r = r0; r <= r1; r++) for (let c = c0; c <= c1; c++) this.buckets[r * this.columns + c].push(i);
  }
}
