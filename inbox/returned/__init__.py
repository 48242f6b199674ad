"""Mail that tells of mail we sent: bounces, delays, automatic answers. Pure; `reading` is its face.

All of it may be forged by whoever was sent the mail: what is read here is only ever shown.
"""
