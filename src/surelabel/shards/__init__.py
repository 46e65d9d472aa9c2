"""The same method on a table in shards, which need not be in memory at once.

What is done to one shard is in `shard`; where it is done, a `Place` says: `here.Here` in this process, one
shard after the other, `surelabel.dask.place.OnCluster` on the workers of a cluster.
"""
