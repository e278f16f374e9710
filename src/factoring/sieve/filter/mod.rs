//! From relations to sets of relations in whose product every large prime is squared.
//!
//! Large primes, and 1, are the vertices of a graph; a relation is the edge between its two. A
//! cycle is such a set (Lenstra and Manasse, *Factoring with two large primes*, Math. Comp. 63
//! (1994)).

mod merge;
pub(super) mod prune;
#[cfg(test)]
mod tests;

use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use super::matrix;
use super::relation::Relation;
use crate::threads;

/// The vertex of the number 1.
const ONE: u32 = 0;
/// Fewer sets are not combined: elimination on bits takes no longer for them.
const LEAST_MERGED: usize = 500;
/// No edge or vertex.
const NONE: u32 = u32::MAX;
/// Rows that a thread makes at a time.
const CHUNK: usize = 256;

/// The relations that are known, each once.
pub(super) struct Collection {
    relations: Vec<Relation>,
    /// Hashes of x. A collision loses one relation, and 2^64 makes it improbable.
    known: HashSet<u64>,
    vertices: HashMap<u64, u32>,
    /// The vertices of each relation.
    edges: Vec<[u32; 2]>,
    /// A forest with a tree for each component of the graph.
    parents: Vec<u32>,
    cycles: usize,
}

impl Default for Collection {
    fn default() -> Collection {
        Collection {
            relations: Vec::new(),
            known: HashSet::new(),
            vertices: HashMap::from([(1, ONE)]),
            edges: Vec::new(),
            parents: vec![ONE],
            cycles: 0,
        }
    }
}

impl Collection {
    /// Adds relations, but for those whose x is known.
    pub(super) fn extend(&mut self, found: Vec<Relation>) {
        for relation in found {
            let mut hasher = DefaultHasher::new();
            relation.x.hash(&mut hasher);
            if !self.known.insert(hasher.finish()) {
                continue;
            }
            let edge = relation.large.map(|prime| self.vertex(prime));
            let [a, b] = edge.map(|vertex| self.root(vertex));
            if a == b {
                self.cycles += 1;
            } else {
                // Towards the smaller number, so that the tree of 1 keeps its root.
                self.parents[a.max(b) as usize] = a.min(b);
            }
            self.edges.push(edge);
            self.relations.push(relation);
        }
    }

    /// The relations, in the order of their numbers.
    pub(super) fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// How many independent sets there are: edges − vertices + components of the graph.
    pub(super) fn cycles(&self) -> usize {
        self.cycles
    }

    fn vertex(&mut self, prime: u64) -> u32 {
        match self.vertices.entry(prime) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let vertex = self.parents.len() as u32;
                self.parents.push(vertex);
                *new.insert(vertex)
            }
        }
    }

    fn root(&mut self, mut vertex: u32) -> u32 {
        loop {
            let parent = self.parents[vertex as usize];
            if parent == vertex {
                return vertex;
            }
            let above = self.parents[parent as usize];
            self.parents[vertex as usize] = above;
            vertex = above;
        }
    }

    /// Independent sets of relations, by their numbers, in whose product every large prime is
    /// squared. Those that no product of which all exponents are even can use are left out, and the
    /// others are combined where that makes their matrix cheaper.
    pub(super) fn sets(&self, columns: usize) -> Vec<Vec<u32>> {
        let cycles = self.basis();
        if cycles.len() <= LEAST_MERGED {
            return cycles;
        }
        let rows = self.rows(&cycles);
        merge::merge(cycles, rows, columns)
    }

    /// The columns that have an odd exponent in the product of each set, ascending.
    pub(super) fn rows(&self, sets: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let row = |set: &Vec<u32>| {
            let factors = set
                .iter()
                .flat_map(|i| &self.relations[*i as usize].factors);
            matrix::odd_columns(factors.copied().collect())
        };
        let parts = threads::map(sets.len().div_ceil(CHUNK), 1, |i| {
            let chunk = threads::chunk(sets, CHUNK, i).iter();
            chunk.map(row).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().collect()
    }

    /// A basis of the cycle space. It has as many sets as `cycles` counts.
    fn basis(&self) -> Vec<Vec<u32>> {
        let (mut sets, mut links) = (Vec::new(), Vec::new());
        for (edge, i) in self.edges.iter().zip(0u32..) {
            if edge[0] == edge[1] {
                sets.push(vec![i]);
            } else {
                links.push(i);
            }
        }
        self.drop_leaves(&mut links);
        let forest = Forest::new(&self.edges, &links, self.parents.len());
        for i in links {
            let [a, b] = self.edges[i as usize];
            if ![a, b]
                .map(|vertex| forest.edges[vertex as usize])
                .contains(&i)
            {
                sets.push(forest.cycle(i, a, b));
            }
        }
        sets
    }

    /// Drops edges that end in a vertex of degree 1, other than the number 1, until there is none.
    fn drop_leaves(&self, links: &mut Vec<u32>) {
        let mut degrees = vec![0u32; self.parents.len()];
        // The sum of the edges of each vertex modulo 2: the edge itself where there is one.
        let mut sums = vec![0u32; self.parents.len()];
        let mut is_kept = vec![false; self.edges.len()];
        for i in &*links {
            is_kept[*i as usize] = true;
            for vertex in self.edges[*i as usize] {
                degrees[vertex as usize] += 1;
                sums[vertex as usize] ^= i;
            }
        }
        for start in 1..degrees.len() {
            let mut vertex = start;
            while vertex != ONE as usize && degrees[vertex] == 1 {
                let i = sums[vertex];
                let [a, b] = self.edges[i as usize].map(|vertex| vertex as usize);
                for end in [a, b] {
                    degrees[end] -= 1;
                    sums[end] ^= i;
                }
                is_kept[i as usize] = false;
                vertex = a + b - vertex;
            }
        }
        links.retain(|i| is_kept[*i as usize]);
    }
}

/// A tree of shortest paths in each component, from 1 in its own.
struct Forest<'a> {
    ends: &'a [[u32; 2]],
    /// The edge from each vertex towards the root of its tree; NONE at the root.
    edges: Vec<u32>,
    depths: Vec<u32>,
}

impl Forest<'_> {
    fn new<'a>(ends: &'a [[u32; 2]], links: &[u32], vertices: usize) -> Forest<'a> {
        // The edges of each vertex, one list after the other.
        let mut starts = vec![0u32; vertices + 1];
        let both_ends = || {
            links
                .iter()
                .flat_map(|i| ends[*i as usize].map(|end| (end, *i)))
        };
        both_ends().for_each(|(end, _)| starts[end as usize + 1] += 1);
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut incident = vec![0u32; 2 * links.len()];
        let mut next = starts.clone();
        for (end, i) in both_ends() {
            incident[next[end as usize] as usize] = i;
            next[end as usize] += 1;
        }
        let mut forest = Forest {
            ends,
            edges: vec![NONE; vertices],
            depths: vec![NONE; vertices],
        };
        let mut queue: Vec<u32> = Vec::new();
        for root in 0..vertices as u32 {
            if forest.depths[root as usize] != NONE {
                continue;
            }
            forest.depths[root as usize] = 0;
            queue.clear();
            queue.push(root);
            let mut at = 0;
            while let Some(vertex) = queue.get(at).copied() {
                at += 1;
                let list = starts[vertex as usize] as usize..starts[vertex as usize + 1] as usize;
                for i in &incident[list] {
                    let end = forest.other_end(*i, vertex);
                    if forest.depths[end as usize] == NONE {
                        forest.depths[end as usize] = forest.depths[vertex as usize] + 1;
                        forest.edges[end as usize] = *i;
                        queue.push(end);
                    }
                }
            }
        }
        forest
    }

    fn other_end(&self, i: u32, vertex: u32) -> u32 {
        let [a, b] = self.ends[i as usize];
        if a == vertex { b } else { a }
    }

    /// The edges of the cycle that edge i from a to b, which is not of the forest, closes;
    /// ascending.
    fn cycle(&self, i: u32, mut a: u32, mut b: u32) -> Vec<u32> {
        let mut set = vec![i];
        while a != b {
            if self.depths[a as usize] < self.depths[b as usize] {
                (a, b) = (b, a);
            }
            let edge = self.edges[a as usize];
            set.push(edge);
            a = self.other_end(edge, a);
        }
        set.sort_unstable();
        set
    }
}
