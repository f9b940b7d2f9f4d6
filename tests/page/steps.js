// A step as the server sends it: at a root with the moves 0 and 1, move 1 is taken, and its first playout has two moves.

export const STEP = {
  simulation: 3,
  selection: [
    {
      position: "start",
      svg: "<svg id='start'/>",
      player: 0,
      visits: 2,
      number: 1,
      action: "b",
      edges: [
        {
          number: 0,
          action: "a",
          visits: 2,
          value: 0.5,
          proven: false,
          value_term: 0.5,
          exploration_term: 0.1,
          score: 0.6,
          chosen: false,
        },
        {
          number: 1,
          action: "b",
          visits: 0,
          value: null,
          proven: false,
          value_term: 0,
          exploration_term: 0,
          score: "infinity",
          chosen: true,
        },
      ],
    },
  ],
  expansion: { position: "b", svg: "<svg id='b'/>", depth: 1, player: 1, actions: ["c", "d"], priors: [0.5, 0.5] },
  leaf: "b",
  leaf_added: true,
  leaf_svg: "<svg id='leaf'/>",
  ending: "new",
  playouts: [
    {
      actions: ["c", "d"],
      returns: [1, -1],
      final_position: "bcd",
      final_svg: "<svg id='end'/>",
      positions: ["bc"],
      svgs: ["<svg id='bc'/>"],
      shown: 1,
    },
  ],
  played: 1,
  static_values: null,
  returns: [1, -1],
  backup: [
    { what: "edge", line: ["b"], path: [1], field: "visits", before: 0, after: 1 },
    { what: "edge", line: ["b"], path: [1], field: "value", before: 0, after: 1 },
    { what: "node", line: [], path: [], field: "visits", before: 2, after: 3 },
  ],
  path: [1],
};
